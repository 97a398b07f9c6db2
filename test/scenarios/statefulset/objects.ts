// The StatefulSet of the scenarios, and waits for its state.

import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { StatefulSetSpec, StatefulSetStatus } from "#api/generated/types/apps-v1.ts";
import type { PersistentVolumeClaim, PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { isTerminating, makeReady, type StoredPod } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

export type StatefulSet = ObjectOf<typeof StatefulSets>;

export const REVISION = "controller-revision-hash";
const labels = { app: "web" };

const template = (image: string): PodTemplateSpec => ({
  metadata: { labels },
  spec: { containers: [{ name: "main", image }] },
});

/** A claim that every pod gets. */
export const dataClaim: PersistentVolumeClaim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

/** Creates a StatefulSet called web. */
export function createSet(stage: Stage, replicas: number, more: Partial<StatefulSetSpec> = {}): Promise<StatefulSet> {
  const selector = { matchLabels: labels };
  return stage.of(StatefulSets).create({
    metadata: { name: "web" },
    spec: { replicas, serviceName: "web", selector, template: template("example/web:1"), ...more },
  });
}

export const patchSpec = (stage: Stage, spec: object): Promise<StatefulSet> =>
  stage.of(StatefulSets).patch("web", { spec });

export const setImage = (stage: Stage, image: string): Promise<StatefulSet> =>
  patchSpec(stage, { template: template(image) });

export const imageOf = ({ spec }: StoredPod): string => spec?.containers[0]?.image ?? "";

/** Waits until the pods that are not terminating have these names. */
export function untilPods(stage: Stage, ...names: readonly string[]): Promise<readonly StoredPod[]> {
  return stage.of(Pods).untilAll((pods) => {
    const living = pods.filter((pod) => !isTerminating(pod)).map(({ metadata }) => metadata.name);
    return living.toSorted().join() === names.toSorted().join();
  });
}

/** Waits for the pod and makes it ready as its kubelet does, in a separate phase. */
export async function becomeReady(stage: Stage, name: string, image?: string): Promise<void> {
  await stage.of(Pods).until(name, (pod) => !isTerminating(pod) && (image === undefined || imageOf(pod) === image));
  await stage.settle();
  await makeReady(stage, name);
}

/** Waits until the status has these values; a count of 0 may be absent. */
export function untilStatus(stage: Stage, wanted: Partial<StatefulSetStatus>): Promise<StatefulSet> {
  return stage
    .of(StatefulSets)
    .until("web", ({ status }) =>
      Object.entries(wanted).every(([field, value]) => (status?.[field as keyof StatefulSetStatus] ?? 0) === value),
    );
}

/** Creates a set and makes all its pods ready. */
export async function createReadySet(
  stage: Stage,
  replicas: number,
  more: Partial<StatefulSetSpec> = {},
): Promise<StatefulSet> {
  await createSet(stage, replicas, more);
  const start = more.ordinals?.start ?? 0;
  for (let ordinal = start; ordinal < start + replicas; ordinal++) await becomeReady(stage, `web-${ordinal}`);
  const set = await untilStatus(stage, { replicas, readyReplicas: replicas, currentReplicas: replicas });
  await stage.settle();
  return set;
}
