// Where a scenario plays: on the embedded server under the virtual clock, calm or with faults, or on a real control
// plane with our manager or Go's. Every step goes through the API. What kubelets do, and what controllers that do not
// run on a stage do, the scenario does itself.

import type { Event } from "#api/generated/types/core-v1.ts";
import type { DeleteOptions } from "#api/meta.ts";
import type { GroupVersionResource, KubeObject } from "#api/object.ts";
import type { Draft, Resource } from "#api/resource.ts";
import type { PatchType } from "#client/client.ts";
import type { AggregatedApi } from "#sim/aggregated-apis.ts";

/** Reads of the objects of one resource. */
export interface ReadSteps<T extends KubeObject> {
  /** Fails when there is none. */
  get(name: string): Promise<T>;
  find(name: string): Promise<T | undefined>;
  /** In the order of their names. */
  list(labelSelector?: string): Promise<readonly T[]>;
}

/** Steps with the objects of one resource, in the scenario's namespace unless another one was named. */
export interface ObjectSteps<T extends KubeObject> extends ReadSteps<T> {
  create(object: Draft<T>): Promise<T>;
  /** A JSON merge patch, unless another type is given. */
  patch(name: string, patch: unknown, how?: PatchOptions): Promise<T>;
  /** Reads, changes and PUTs the object, again after a conflict. */
  update(name: string, change: (object: T) => T): Promise<T>;
  /** The same with the status subresource. */
  updateStatus(name: string, change: (object: T) => T): Promise<T>;
  delete(name: string, options?: DeleteOptions): Promise<void>;
  deleteAll(options?: DeleteOptions, labelSelector?: string): Promise<void>;
  /** Reads a subresource, such as scale. */
  getSubresource<S>(name: string, subresource: string): Promise<S>;
  /** POSTs a subresource: binding, eviction, token. */
  post(name: string, subresource: string, object: object): Promise<unknown>;
  /** PUTs a subresource: approval, scale, finalize. */
  put(name: string, subresource: string, object: object): Promise<unknown>;
  /** Waits until the object is there and the predicate, if any, holds. */
  until(name: string, holds?: (object: T) => boolean): Promise<T>;
  /** Waits until the predicate holds for the whole list. */
  untilAll(holds: (objects: readonly T[]) => boolean): Promise<readonly T[]>;
  untilGone(name: string): Promise<void>;
}

export interface PatchOptions {
  readonly type?: PatchType;
  readonly subresource?: string;
}

/** What a predicate of `always` may do: read. */
export interface Reader {
  of<T extends KubeObject>(resource: Resource<T>, namespace?: string): ReadSteps<T>;
}

export interface StageUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface Stage {
  /** The scenario's own namespace, with its default service account. Unique per play. */
  readonly namespace: string;
  /** A name for an object of cluster scope, unique per play: "node-a-play0007". */
  name(base: string): string;
  /** A label value that no other scenario has, the same in every play: names that are hashes of it stay the same. */
  readonly label: string;
  /** Whether the controller runs on this stage. */
  runs(controller: string): boolean;
  /** The stage's time, for timestamps that the scenario writes. */
  now(): number;
  /** Lets time pass. Real stages wait in real time: at most 10 s per scenario. */
  pass(ms: number): Promise<void>;

  of<T extends KubeObject>(resource: Resource<T>, namespace?: string): ObjectSteps<T>;
  /** Steps as another user, whom the server authorizes by ClusterRoles. */
  as(user: StageUser): Pick<Stage, "of">;
  /** Waits until the probe finds something; fails when it never does. */
  until<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T>;
  /** Must hold from now to the end of the play: after every write on the embedded server, by polling on a real one. */
  always(what: string, holds: (reader: Reader) => Promise<boolean>): void;
  /**
   * Checks of exact counts, of order, and that nothing happens. They hold while nothing fails, so the stage with faults
   * leaves them out. The check must not write.
   */
  calm(check: () => Promise<void>): Promise<void>;
  /** The controllers' writes to objects of this play so far, oldest first, without Events and Leases. Only inside `calm`. */
  writes(): Promise<readonly StageWrite[]>;
  /** Waits for an Event about an object of the play. A manager that dies may lose it, so the stage with faults does not wait. */
  event(reason: string, holds?: (event: Event) => boolean): Promise<void>;
  /** Ends a phase: waits until the controllers have written nothing for a second. Phases are compared with Go's on their own. */
  settle(quietMs?: number): Promise<void>;
  /** Does the work of a controller, where that controller does not run. */
  standIn(controller: string, step: () => Promise<void>): Promise<void>;
  /** Gives a generated name, such as a pod's, a fixed one in comparisons with Go. Equal objects need none. */
  call(name: string, symbol: string): void;
  /** Whether the name has been given such a name. */
  isCalled(name: string): boolean;
  /** Serves an aggregated API group from the scenario. A group without resources is broken; its scenario plays alone. */
  serve(api: AggregatedApi): Promise<void>;
  /** From now on the controllers see no event of the resource. Only in a play alone: all controllers feel it. */
  hold(resource: GroupVersionResource): void;
  /** The controllers see the resource again, and what they missed. */
  release(resource: GroupVersionResource): void;
  /** Another manager takes the place of the running one; `meanwhile` is played while none runs. Only in a play alone. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /** The managers do not reach the API server while `meanwhile` is played. Only in a play alone. */
  outage(meanwhile: () => Promise<void>): Promise<void>;
  /** Waits until this many writes of the controllers were refused; conflicts do not count. */
  untilRefused(count: number): Promise<void>;
  /** Waits until a controller has read the object live in this phase. How often it does so again is not compared. */
  untilRead(resource: GroupVersionResource, name: string): Promise<void>;
}

/** The part of a stage that tests have that are no scenarios. */
export type Scene = Pick<Stage, "namespace" | "now" | "pass" | "of" | "until">;

/** One finished write of a controller. */
export interface StageWrite {
  /** The identity: "replicaset-controller". */
  readonly who: string;
  readonly verb: "create" | "update" | "patch" | "delete" | "deletecollection";
  /** The resource and subresource: "pods", "replicasets/status". */
  readonly resource: string;
  readonly namespace: string;
  /** Empty for a create with a generated name that was refused. */
  readonly name: string;
  readonly code: number;
  readonly body: unknown;
}
