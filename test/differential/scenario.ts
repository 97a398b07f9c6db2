// What a scenario is, and what it can do: write objects, play scheduler and kubelet, wait, and divide
// itself into phases. Whatever it does goes through the API of the control plane, in its own namespace.

import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";

export interface Scenario {
  /** Unique; part of the namespace's name. */
  readonly name: string;
  /** What the comparison is about, in one line. */
  readonly about: string;
  /**
   * What it is played with, at the same time: nothing else when it holds watches back, which all would feel; its like
   * when its controllers try again and again, so that it must not wait for the events of others between two tries.
   */
  readonly company?: "none" | "refused";
  play(play: Play): Promise<void>;
}

/** The path of the scenario's namespace itself. */
export const NAMESPACE = "";

/** The two kinds that the engine under comparison serves. */
export type OwnerKind = "ReplicaSet" | "ReplicationController";

/** What both kinds say about themselves. */
export type OwnerStatus = NonNullable<ReplicaSet["status"]>;

export interface Play {
  readonly namespace: string;
  /** The kind that the steps below mean. */
  readonly kind: OwnerKind;
  /** The same play about the other kind. */
  of(kind: OwnerKind): Play;

  create(object: KubeObject): Promise<void>;
  /** A JSON merge patch; `path` is below the namespace, such as "pods/a/status". */
  patch(path: string, patch: unknown): Promise<void>;
  /** Deletes by path; options are DeleteOptions. A missing object is fine. */
  delete(path: string, options?: object): Promise<void>;
  /** POSTs a subresource, such as "pods/a/binding". */
  post(path: string, object: unknown): Promise<void>;
  get<T extends KubeObject>(path: string): Promise<T | undefined>;

  /** An owner of pods labelled app=<name>. `more` is merged into the spec. */
  owner(name: string, replicas: number, more?: object): Promise<void>;
  scale(name: string, replicas: number): Promise<void>;
  /** Waits until the owner's status counts so many replicas (other fields too, when given). */
  untilStatus(name: string, wanted: Partial<OwnerStatus>): Promise<void>;
  /** A pod that no controller made. */
  pod(name: string, labels: Readonly<Record<string, string>>, more?: object): Promise<void>;
  /** All pods of the namespace, oldest first. */
  pods(): Promise<readonly Pod[]>;
  /** Gives the pods symbolic names, oldest first; the report tells them apart by it. Returns their names. */
  call(...symbols: readonly string[]): Promise<readonly string[]>;
  /** What a kubelet reports when the pod has been ready since now. */
  ready(pod: string, since?: Date): Promise<void>;
  bind(pod: string, node: string): Promise<void>;
  /** Waits until the probe finds something. */
  until<T>(what: string, probe: () => Promise<T | undefined>): Promise<T>;
  /** Waits until the object is gone. */
  untilGone(path: string): Promise<void>;
  /** Waits until so many writes of the controllers were refused. */
  untilRefused(count: number): Promise<void>;
  /** Waits until the controllers have read the object live in this phase. How often they do so again is chance. */
  untilRead(resource: string, name: string): Promise<void>;
  /** Waits until the controllers have been silent for a while, then begins a phase: its writes are compared on their own. */
  settle(): Promise<void>;

  /** The manager sees no more events of the resource ("pods"). Only in a scenario without company. */
  hold(resource: string): void;
  /** The manager sees the resource again, and what it missed. */
  release(resource: string): void;
}
