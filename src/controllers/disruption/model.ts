// Shared types of the steps of the disruption controller: its objects and dependencies.

import type { Deployments, ReplicaSets, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import type { Pods, ReplicationControllers } from "#api/generated/resources/core-v1.ts";
import type { PodDisruptionBudgets } from "#api/generated/resources/policy-v1.ts";
import type { ObjectOf, StoredObject } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { RestMapper } from "#client/rest-mapper.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import type { Scales } from "#kit/scales.ts";

export type Budget = ObjectOf<typeof PodDisruptionBudgets>;
export type StoredPod = ObjectOf<typeof Pods>;

type Cache<T extends StoredObject> = Pick<SharedInformer<T>, "lister">;

/** The caches of the workloads whose size is known without a request. */
export interface Workloads {
  readonly replicationControllers: Cache<ObjectOf<typeof ReplicationControllers>>;
  readonly replicaSets: Cache<ObjectOf<typeof ReplicaSets>>;
  readonly deployments: Cache<ObjectOf<typeof Deployments>>;
  readonly statefulSets: Cache<ObjectOf<typeof StatefulSets>>;
}

export interface ScaleDeps {
  readonly workloads: Workloads;
  readonly restMapper: Pick<RestMapper, "mapping">;
  readonly scales: Pick<Scales, "get" | "isServed">;
}

export interface Deps extends ScaleDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly gates: FeatureGates;
  readonly recorder: EventRecorder;
  readonly budgets: SharedInformer<Budget>;
  readonly pods: SharedInformer<StoredPod>;
  readonly budgetsApi: Pick<ResourceClient<Budget>, "updateStatus">;
  readonly podsApi: Pick<ResourceClient<StoredPod>, "updateStatus">;
  /** Budgets with evicted pods whose deletion may never have begun. */
  readonly rechecks: KeyQueue;
}
