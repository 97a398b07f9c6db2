// Shared types of the steps of a Deployment's sync: its objects, its dependencies, and the state of one sync.

import type { ValueError } from "#api/errors.ts";
import type { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import type { ObjectOf, Stored } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { CreatedSets } from "./created-sets.ts";

export type Deployment = ObjectOf<typeof Deployments>;
export type ReplicaSet = ObjectOf<typeof ReplicaSets>;

export const HASH_LABEL = "pod-template-hash";

export type DeploymentsApi = Pick<ResourceClient<Deployment>, "get" | "update" | "updateStatus">;

export interface Deps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly deployments: SharedInformer<Deployment>;
  readonly replicaSets: SharedInformer<ReplicaSet>;
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly deploymentsApi: DeploymentsApi;
  readonly setsApi: ResourceClient<ReplicaSet>;
  readonly createdSets: CreatedSets;
  readonly selectorOf: (deployment: Deployment) => Selector | ValueError;
  /** The gate DeploymentReplicaSetTerminatingReplicas. */
  readonly reportsTerminating: boolean;
}

/** The state of a sync between two of its steps. Each step returns a new one. */
export interface Rollout {
  /** With the annotations and conditions that this sync has set, and the resource version from its start. */
  readonly deployment: Deployment;
  /** The ReplicaSet of the current template, if there is one. */
  readonly newSet: ReplicaSet | undefined;
  /** All others, oldest first. */
  readonly oldSets: readonly ReplicaSet[];
}

export function allSets({ oldSets, newSet }: Pick<Rollout, "oldSets" | "newSet">): readonly ReplicaSet[] {
  return newSet === undefined ? oldSets : [...oldSets, newSet];
}

/** The API server defaults spec.replicas of both kinds. */
export function replicasOf({ spec }: { readonly spec?: { readonly replicas?: number } }): number {
  return spec?.replicas ?? 0;
}

export function isActive(set: ReplicaSet): boolean {
  return replicasOf(set) > 0;
}

export function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

export function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + count(set), 0);
}
