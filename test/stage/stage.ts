// The stage of a scenario: the embedded server under the virtual clock, with or without faults, or a real control plane
// with our manager or Go's. Every step goes through the API. The scenario itself does the work of kubelets and of
// controllers that do not run on the stage.

import type { Event } from "#api/generated/types/core-v1.ts";
import type { DeleteOptions } from "#api/meta.ts";
import type { GroupVersionResource, KubeObject } from "#api/object.ts";
import type { Draft, Resource } from "#api/resource.ts";
import type { PatchType } from "#client/client.ts";
import type { AggregatedApi } from "#sim/aggregated-apis.ts";

/** Reads of the objects of one resource. */
export interface ReadSteps<T extends KubeObject> {
  /** Fails if the object does not exist. */
  get(name: string): Promise<T>;
  find(name: string): Promise<T | undefined>;
  /** Sorted by name. */
  list(labelSelector?: string): Promise<readonly T[]>;
}

/** Steps with the objects of one resource, in the scenario's namespace unless another is named. */
export interface ObjectSteps<T extends KubeObject> extends ReadSteps<T> {
  create(object: Draft<T>): Promise<T>;
  /** A JSON merge patch, unless another type is given. */
  patch(name: string, patch: unknown, how?: PatchOptions): Promise<T>;
  /** Reads, changes and PUTs the object; repeats this after a conflict. */
  update(name: string, change: (object: T) => T): Promise<T>;
  /** Like update, with the status subresource. */
  updateStatus(name: string, change: (object: T) => T): Promise<T>;
  delete(name: string, options?: DeleteOptions): Promise<void>;
  deleteAll(options?: DeleteOptions, labelSelector?: string): Promise<void>;
  /** Reads a subresource, such as scale. */
  getSubresource<S>(name: string, subresource: string): Promise<S>;
  /** POSTs a subresource: binding, eviction, token. */
  post(name: string, subresource: string, object: object): Promise<unknown>;
  /** PUTs a subresource: approval, scale, finalize. */
  put(name: string, subresource: string, object: object): Promise<unknown>;
  /** Waits until the object exists and the predicate, if given, holds. */
  until(name: string, holds?: (object: T) => boolean): Promise<T>;
  /** Waits until the predicate holds for the whole list. */
  untilAll(holds: (objects: readonly T[]) => boolean): Promise<readonly T[]>;
  untilGone(name: string): Promise<void>;
}

export interface PatchOptions {
  readonly type?: PatchType;
  readonly subresource?: string;
}

/** The reads that a predicate of `always` may make. */
export interface Reader {
  of<T extends KubeObject>(resource: Resource<T>, namespace?: string): ReadSteps<T>;
}

export interface StageUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface Stage {
  /** The scenario's namespace, with its default service account. Unique per play. */
  readonly namespace: string;
  /** A name for a cluster-scoped object, unique per play: "node-a-play0007". */
  name(base: string): string;
  /** Reserves a cluster-scoped name that must be the same in every play, such as an address. No other scenario has it. */
  reserve(name: string): string;
  /** A label value that no other scenario has. It is the same in every play, so names that are hashes of it are too. */
  readonly label: string;
  /** Whether the controller runs on this stage. */
  runs(controller: string): boolean;
  /** The stage's time, for timestamps in the scenario's writes. */
  now(): number;
  /** Lets time pass. Real stages wait in real time: at most 10 s per scenario. */
  pass(ms: number): Promise<void>;

  of<T extends KubeObject>(resource: Resource<T>, namespace?: string): ObjectSteps<T>;
  /** Steps as another user, whom the server authorizes by ClusterRoles. */
  as(user: StageUser): Pick<Stage, "of">;
  /** Waits until the probe finds something; fails if it never does. */
  until<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T>;
  /**
   * Checks the predicate until the end of the play: after every write on the embedded server, by polling on a real one.
   */
  always(what: string, holds: (reader: Reader) => Promise<boolean>): void;
  /**
   * For checks of exact counts, of order, and that nothing happens. They hold only without faults, so the stage with
   * faults skips them. The check must not write.
   */
  calm(check: () => Promise<void>): Promise<void>;
  /** The controllers' writes to objects of this play so far, oldest first, without Events and Leases. Only inside `calm`. */
  writes(): Promise<readonly StageWrite[]>;
  /**
   * Waits for an Event about an object of the play. The stage with faults does not wait: a manager that dies may lose
   * it.
   */
  event(reason: string, holds?: (event: Event) => boolean): Promise<void>;
  /**
   * Ends a phase: waits until the controllers have written nothing for a second. Each phase is compared separately with
   * Go's.
   */
  settle(quietMs?: number): Promise<void>;
  /** Does the work of a controller if the controller does not run on this stage. */
  standIn(controller: string, step: () => Promise<void>): Promise<void>;
  /** Gives a generated name, such as a pod's, a symbolic name for comparisons with Go. Equal objects need none. */
  call(name: string, symbol: string): void;
  /** Whether the name has a symbolic name. */
  isCalled(name: string): boolean;
  /**
   * Serves an aggregated API group from the scenario. A group without resources is broken; its scenario must play
   * alone.
   */
  serve(api: AggregatedApi): Promise<void>;
  /**
   * From now on the controllers see no event of the resource. All plays are affected, so the scenario must play alone,
   * unless the resource is a custom one of the play.
   */
  hold(resource: GroupVersionResource): void;
  /** Delivers the events that the controllers missed, and no longer holds the resource. */
  release(resource: GroupVersionResource): void;
  /** Replaces the running manager by another and plays `meanwhile` in between. The scenario must play alone. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /** Plays `meanwhile` while the managers cannot reach the API server. The scenario must play alone. */
  outage(meanwhile: () => Promise<void>): Promise<void>;
  /** Waits until this many writes of the controllers were refused; conflicts do not count. */
  untilRefused(count: number): Promise<void>;
  /** Waits until a controller has read the object live in this phase. The number of further reads is not compared. */
  untilRead(resource: GroupVersionResource, name: string): Promise<void>;
}

/** The part of a stage that tests other than scenarios have. */
export type Scene = Pick<Stage, "namespace" | "now" | "pass" | "of" | "until">;

/** One finished write of a controller. */
export interface StageWrite {
  /** The identity: "replicaset-controller". */
  readonly who: string;
  readonly verb: "create" | "update" | "patch" | "delete" | "deletecollection";
  /** The resource and subresource: "pods", "replicasets/status". */
  readonly resource: string;
  readonly namespace: string;
  /** Empty for a refused create with a generated name. */
  readonly name: string;
  readonly code: number;
  readonly body: unknown;
}
