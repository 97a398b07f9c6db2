// The DaemonSet and the nodes of the scenarios.

import { DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { DaemonSetSpec, DaemonSetStatus } from "#api/generated/types/apps-v1.ts";
import type { PodSpec, PodTemplateSpec, Taint } from "#api/generated/types/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { isTerminating, makeReady, type StoredPod } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

export type DaemonSet = ObjectOf<typeof DaemonSets>;

export const HASH = "controller-revision-hash";
const labels = { app: "agent" };

/** Nodes of other plays do not have this label. */
export const playLabel = (stage: Stage): Readonly<Record<string, string>> => ({ play: stage.label });

/** Creates a node and returns its name. */
export async function createNode(stage: Stage, base: string, taints: readonly Taint[] = []): Promise<string> {
  const name = stage.name(base);
  await stage.of(Nodes).create({ metadata: { name, labels: playLabel(stage) }, spec: { taints } });
  // The API server taints new nodes; the node lifecycle controller would remove that taint.
  await stage.of(Nodes).patch(name, { spec: { taints } });
  return name;
}

export const template = (stage: Stage, image: string, more: Partial<PodSpec> = {}): PodTemplateSpec => ({
  metadata: { labels },
  spec: { containers: [{ name: "main", image }], nodeSelector: playLabel(stage), ...more },
});

/** Creates a DaemonSet called agent. */
export function createSet(
  stage: Stage,
  more: Partial<DaemonSetSpec> = {},
  pod: Partial<PodSpec> = {},
): Promise<DaemonSet> {
  return stage.of(DaemonSets).create({
    metadata: { name: "agent" },
    spec: { selector: { matchLabels: labels }, template: template(stage, "example/agent:1", pod), ...more },
  });
}

export const patchSpec = (stage: Stage, spec: object): Promise<DaemonSet> =>
  stage.of(DaemonSets).patch("agent", { spec });

export const setImage = (stage: Stage, image: string): Promise<DaemonSet> =>
  patchSpec(stage, { template: template(stage, image) });

export const imageOf = ({ spec }: StoredPod): string => spec?.containers[0]?.image ?? "";

export function nodeOf({ spec }: StoredPod): string {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return spec?.nodeName ?? required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0] ?? "";
}

/** Waits until the pods that are not terminating are on these nodes, one on each; returns them in that order. */
export async function untilPodsOn(stage: Stage, ...nodes: readonly string[]): Promise<readonly StoredPod[]> {
  const living = (pods: readonly StoredPod[]): readonly StoredPod[] => pods.filter((pod) => !isTerminating(pod));
  const pods = await stage
    .of(Pods)
    .untilAll((found) => living(found).map(nodeOf).toSorted().join() === nodes.toSorted().join());
  return nodes.flatMap((node) => living(pods).find((pod) => nodeOf(pod) === node) ?? []);
}

/** Waits for a pod of this image on the node, gives it a symbolic name, and makes it ready in a separate phase. */
export async function becomeReady(stage: Stage, node: string, image: string): Promise<StoredPod> {
  const isIt = (pod: StoredPod): boolean => nodeOf(pod) === node && imageOf(pod) === image && !isTerminating(pod);
  const pods = await stage.of(Pods).untilAll((found) => found.some(isIt));
  const pod = pods.find(isIt) as StoredPod;
  await stage.settle();
  await makeReady(stage, pod.metadata.name);
  return pod;
}

/** Waits until the status has these values; a count of 0 may be absent. */
export function untilStatus(stage: Stage, wanted: Partial<DaemonSetStatus>): Promise<DaemonSet> {
  return stage
    .of(DaemonSets)
    .until("agent", ({ status }) =>
      Object.entries(wanted).every(([field, value]) => (status?.[field as keyof DaemonSetStatus] ?? 0) === value),
    );
}
