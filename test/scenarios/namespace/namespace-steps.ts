// Steps with namespaces that are deleted while their play goes on.

import { ConfigMaps, Namespaces, Pods, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { Namespace, Pod } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { podSpec } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

/** Keeps an object from going before the scenario takes it away. */
export const HOLD = "example.com/hold";

export const TYPES: readonly string[] = [
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
];

/** A namespace besides the play's own, with a default account so that pods can be created in it. */
export async function namespaceNamed(stage: Stage, base: string, more: Namespace = {}): Promise<string> {
  const name = stage.name(base);
  await stage.of(Namespaces).create({ ...more, metadata: { ...more.metadata, name } });
  await stage.of(ServiceAccounts, name).create({ metadata: { name: "default" } });
  return name;
}

export async function map(stage: Stage, namespace: string, name: string, more: ObjectMeta = {}): Promise<void> {
  await stage.of(ConfigMaps, namespace).create({ metadata: { ...more, name } });
}

/** A pod that a kubelet runs: it is deleted in the end by its kubelet alone. */
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

/** What a kubelet does when a deleted pod has ended. */
export function endPod(stage: Stage, namespace: string, name: string): Promise<void> {
  return stage.of(Pods, namespace).delete(name, { gracePeriodSeconds: 0 });
}

export function release(stage: Stage, namespace: string, name: string): Promise<unknown> {
  return stage.of(ConfigMaps, namespace).patch(name, { metadata: { finalizers: null } });
}

/** The conditions as "<reason>: <message>" by type, those with the status True marked by an exclamation mark. */
export function conditionsOf({ status }: Namespace): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      `${status === "True" ? "! " : ""}${reason}: ${message}`,
    ]),
  );
}

/** The conditions, once the one of this type says so. */
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
