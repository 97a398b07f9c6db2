// The dependencies of the steps of a sync: built once in engine.ts and passed to each step.

import type { ValueError } from "#api/errors.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import type { Stored } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { ConsistencyStore } from "#kit/consistency.ts";
import type { DoubtfulCreates } from "#kit/doubtful-creates.ts";
import type { TrackingExpectations } from "#kit/expectations.ts";
import type { PodControl } from "#kit/pod-control.ts";
import type { ReplicaMetrics } from "./metrics.ts";
import type { PodMarks } from "./pod-marks.ts";
import type { ReplicaKind, ReplicaObject } from "./replica-kind.ts";

export interface Deps<T extends ReplicaObject> {
  readonly kind: ReplicaKind<T>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ReplicaMetrics;
  readonly owners: SharedInformer<T>;
  readonly pods: SharedInformer<Stored<Pod>>;
  /** Live reads and status writes of the owners. */
  readonly ownersApi: ResourceClient<T>;
  readonly podsApi: ResourceClient<Stored<Pod>>;
  readonly podControl: PodControl<T>;
  readonly expectations: TrackingExpectations;
  readonly consistency: ConsistencyStore;
  readonly doubts: DoubtfulCreates;
  readonly podMarks: PodMarks;
  /** Use the pod-deletion-cost annotation. */
  readonly usesDeletionCost: boolean;
  /** The status has the number of terminating pods. */
  readonly reportsTerminating: boolean;
  /** The owner's selector, or the error in it. */
  selectorOf(owner: T): Selector | ValueError;
}
