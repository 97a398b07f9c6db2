// Steps with pods, for scenarios of many controllers: the actions of users, the scheduler and kubelets.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod, PodSpec } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { Draft, ObjectOf } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import type { Scene, Stage } from "./stage.ts";

export type StoredPod = ObjectOf<typeof Pods>;

export const podSpec: PodSpec = { containers: [{ name: "main", image: "example/web:1" }] };

/** A pod that has no controller. */
export function barePod(
  name: string,
  labels: Readonly<Record<string, string>> = { app: "web" },
  more: ObjectMeta = {},
): Draft<StoredPod> {
  return { metadata: { ...more, name, labels }, spec: podSpec };
}

/** Acts as a kubelet: reports that the pod runs and is ready. */
export function makeReady(stage: Scene, name: string, sinceMs: number = stage.now()): Promise<StoredPod> {
  return setPodStatus(stage, name, { phase: "Running", conditions: [readyCondition("True", sinceMs)] });
}

export function makeUnready(stage: Scene, name: string, sinceMs: number = stage.now()): Promise<StoredPod> {
  return setPodStatus(stage, name, { phase: "Running", conditions: [readyCondition("False", sinceMs)] });
}

function readyCondition(status: "True" | "False", sinceMs: number) {
  return { type: "Ready", status, lastTransitionTime: formatTime(sinceMs) };
}

/** Merges into the status of the pod. */
export function setPodStatus(stage: Scene, name: string, status: NonNullable<Pod["status"]>): Promise<StoredPod> {
  return stage.of(Pods).patch(name, { status }, { subresource: "status" });
}

/** Acts as the scheduler. */
export async function bind(stage: Scene, name: string, node: string): Promise<void> {
  const target = { apiVersion: "v1", kind: "Node", name: node };
  await stage.of(Pods).post(name, "binding", { apiVersion: "v1", kind: "Binding", metadata: { name }, target });
}

/** Acts as a kubelet: removes a deleted pod whose containers have ended. */
export function finishDeletion(stage: Scene, name: string): Promise<void> {
  return stage.of(Pods).delete(name, { gracePeriodSeconds: 0 });
}

/** The UID of the pod's controller. */
export function ownerUid({ metadata }: StoredPod): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

export function isTerminating({ metadata }: StoredPod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Gives generated pods symbolic names for comparisons, oldest first. Returns their real names. */
export async function callPods(stage: Stage, ...symbols: readonly string[]): Promise<readonly string[]> {
  const age = ({ metadata }: StoredPod): string => `${metadata.creationTimestamp} ${metadata.name}`;
  const generated = (await stage.of(Pods).list())
    .filter(({ metadata }) => metadata.generateName !== undefined && !stage.isCalled(metadata.name))
    .toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
  const names = generated.slice(0, symbols.length).map(({ metadata }) => metadata.name);
  for (const [index, name] of names.entries()) stage.call(name, symbols[index] ?? "");
  return names;
}
