// Shared types of the steps of a StatefulSet's sync: its objects and dependencies.

import type { ValueError } from "#api/errors.ts";
import type { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import type { PersistentVolumeClaims, Pods } from "#api/generated/resources/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { BackoffDeps } from "#base/go-backoff.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { ConsistencyStore } from "#kit/consistency.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { History } from "#kit/history.ts";
import type { LruMap } from "#kit/lru.ts";
import type { PodControl } from "#kit/pod-control.ts";
import type { StatefulSetMetrics } from "./metrics.ts";

export type StatefulSet = ObjectOf<typeof StatefulSets>;
export type StoredPod = ObjectOf<typeof Pods>;
export type Claim = ObjectOf<typeof PersistentVolumeClaims>;

/** A pod of the set: stored, or built for a missing ordinal. Only a stored pod has a UID and a phase. */
export type StatefulPod = Omit<StoredPod, "metadata"> & {
  readonly metadata: ObjectMeta & { readonly name: string; readonly namespace: string };
};

export interface Deps extends BackoffDeps {
  readonly log: Logger;
  readonly gates: FeatureGateReader;
  readonly recorder: EventRecorder;
  readonly metrics: StatefulSetMetrics;
  readonly sets: SharedInformer<StatefulSet>;
  readonly pods: SharedInformer<StoredPod>;
  readonly claims: SharedInformer<Claim>;
  readonly setsApi: ResourceClient<StatefulSet>;
  readonly podsApi: ResourceClient<StoredPod>;
  readonly claimsApi: ResourceClient<Claim>;
  readonly history: History;
  /** For the patches that adopt and release pods. */
  readonly podControl: PodControl<StatefulSet>;
  readonly consistency: ConsistencyStore;
  /** Sets, by generation, whose template is known to equal the defaulted newest revision. */
  readonly equalRevisions: LruMap<true>;
  readonly selectorOf: (set: StatefulSet) => Selector | ValueError;
}

export const REVISION_LABEL = "controller-revision-hash";

export function revisionOf({ metadata }: StatefulPod): string {
  return metadata.labels?.[REVISION_LABEL] ?? "";
}

/** The API server defaults it. */
export function replicasOf({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1;
}

/** True if the set creates and deletes pods without waiting for other pods. */
export function isParallel({ spec }: StatefulSet): boolean {
  return spec?.podManagementPolicy === "Parallel";
}

export function minReadySecondsOf({ spec }: StatefulSet): number {
  return spec?.minReadySeconds ?? 0;
}
