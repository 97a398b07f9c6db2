// Shared types of the steps of a DaemonSet's sync: its objects and dependencies.

import type { ValueError } from "#api/errors.ts";
import type { ControllerRevisions, DaemonSets } from "#api/generated/resources/apps-v1.ts";
import type { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import type { ObjectKey } from "#api/object.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import type { ItemBackoff } from "#base/item-backoff.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { ConsistencyStore } from "#kit/consistency.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { Expectations } from "#kit/expectations.ts";
import type { PodControl } from "#kit/pod-control.ts";

export type DaemonSet = ObjectOf<typeof DaemonSets>;
export type StoredPod = ObjectOf<typeof Pods>;
export type StoredNode = ObjectOf<typeof Nodes>;
export type Revision = ObjectOf<typeof ControllerRevisions>;

export interface Deps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly sets: SharedInformer<DaemonSet>;
  readonly pods: SharedInformer<StoredPod>;
  readonly nodes: SharedInformer<StoredNode>;
  readonly revisions: SharedInformer<Revision>;
  readonly setsApi: ResourceClient<DaemonSet>;
  readonly podsApi: ResourceClient<StoredPod>;
  readonly revisionsApi: ResourceClient<Revision>;
  readonly podControl: PodControl<DaemonSet>;
  readonly expectations: Expectations;
  readonly consistency: ConsistencyStore;
  /** Delays between the deletions of failed pods, by set, generation and node. */
  readonly failedPods: ItemBackoff;
  /** The gate TaintTolerationComparisonOperators. */
  readonly comparesTaints: boolean;
  readonly selectorOf: (set: DaemonSet) => Selector | ValueError;
  readonly syncAfter: (key: ObjectKey, ms: number, why: string) => void;
}

export const HASH_LABEL = "controller-revision-hash";
export const GENERATION_LABEL = "pod-template-generation";

export function minReadySecondsOf({ spec }: DaemonSet): number {
  return spec?.minReadySeconds ?? 0;
}

export function isTerminating({ metadata }: StoredPod): boolean {
  return metadata.deletionTimestamp !== undefined;
}
