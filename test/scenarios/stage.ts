// Where a scenario plays: on the embedded server under the virtual clock, or on a real control plane.
// A scenario is written once against Stage; what kubelets do, it
// does itself through the API in a named step.

import type { Client } from "#client/client.ts";

export interface Stage {
  /** A namespace of the scenario's own, with its default service account. */
  readonly namespace: string;
  readonly client: Client;
  /** The stage's time, for timestamps that the scenario writes. */
  now(): number;
  /** A call of the scenario's own. */
  do<T>(call: (client: Client, signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Waits until the probe finds something; fails when it never does. */
  until<T>(probe: (client: Client, signal: AbortSignal) => Promise<T | undefined>): Promise<T>;
  /** Lets so much time pass. Real stages really wait: keep it short. */
  pass(ms: number): Promise<void>;
  /** Writes of the manager under test to objects of this namespace, oldest first: "POST pods". */
  writes(): Promise<readonly StageWrite[]>;
}

/** What must hold, told once for all stages. */
export interface Scenario<S extends Stage = Stage> {
  /** Begins with the ids of the behaviours it shows. */
  readonly name: string;
  play(stage: S): Promise<void>;
}

/** A stage whose API server can be taken away, and whose manager is listened to. */
export interface OutageStage extends Stage {
  /** From now on: when the manager has created so many pods, the API server is killed. What was on its way is lost. */
  killServerAfterPods(count: number): void;
  untilKilled(): Promise<void>;
  /** Starts it over the same store; `forgetsHistory` makes every version of before the kill too old to go on from. */
  startServer(options?: { readonly forgetsHistory?: boolean }): Promise<void>;
  /** The next creates of pods by the manager are done, and their answers lost. */
  loseAnswersToPods(count: number): void;
  /** What the manager has logged, in klog's text format. */
  log(): string;
}

export interface StageWrite {
  readonly who: string;
  readonly method: string;
  /** The resource and subresource: "pods", "replicasets/status". */
  readonly resource: string;
  readonly name: string;
  readonly code: number;
  readonly body: unknown;
}
