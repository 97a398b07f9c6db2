// Steps with namespaces that are deleted during their play.

import { ConfigMaps, Namespaces, Pods, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { Namespace, Pod } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { podSpec } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

/** A finalizer that keeps an object until the scenario removes it. */
export const HOLD = "example.com/hold";

export const TYPES: readonly string[] = [
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
];

/** Creates an additional namespace, with a default service account so that pods can be created in it. */
export async function namespaceNamed(stage: Stage, base: string, more: Namespace = {}): Promise<string> {
  const name = stage.name(base);
  await stage.of(Namespaces).create({ ...more, metadata: { ...more.metadata, name } });
  await stage.of(ServiceAccounts, name).create({ metadata: { name: "default" } });
  return name;
}

export async function map(stage: Stage, namespace: string, name: string, more: ObjectMeta = {}): Promise<void> {
  await stage.of(ConfigMaps, namespace).create({ metadata: { ...more, name } });
}

/** Creates a pod that runs on a node: only its kubelet deletes it in the end. */
export async function runningPod(
  stage: Stage,
  namespace: string,
  name: string,
  graceSeconds: number,
  more: ObjectMeta = {},
): Promise<void> {
  const spec = { ...podSpec, nodeName: stage.name("node"), terminationGracePeriodSeconds: graceSeconds };
  await stage.of(Pods, namespace).create({ metadata: { ...more, name }, spec });
  await setPhase(stage, namespace, name, "Running");
}

export async function setPhase(
  stage: Stage,
  namespace: string,
  name: string,
  phase: NonNullable<NonNullable<Pod["status"]>["phase"]>,
): Promise<void> {
  await stage.of(Pods, namespace).patch(name, { status: { phase } }, { subresource: "status" });
}

/** Acts as a kubelet: removes a deleted pod that has ended. */
export function endPod(stage: Stage, namespace: string, name: string): Promise<void> {
  return stage.of(Pods, namespace).delete(name, { gracePeriodSeconds: 0 });
}

export function release(stage: Stage, namespace: string, name: string): Promise<unknown> {
  return stage.of(ConfigMaps, namespace).patch(name, { metadata: { finalizers: null } });
}

/** The conditions as "<reason>: <message>" by type; those with the status True have an exclamation mark. */
export function conditionsOf({ status }: Namespace): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      `${status === "True" ? "! " : ""}${reason}: ${message}`,
    ]),
  );
}

/** Waits until the condition of this type matches, and returns all conditions. */
export async function untilCondition(
  stage: Stage,
  namespace: string,
  type: string,
  says: string,
): Promise<Readonly<Record<string, string>>> {
  const found = await stage
    .of(Namespaces)
    .until(namespace, (namespace) => conditionsOf(namespace)[type]?.includes(says) === true);
  return conditionsOf(found);
}
