// What a controller is to the program that runs it: a descriptor with its names and conditions, a
// context to be built from, and a run that ends when its signal aborts.

import type { Clock } from "#base/clock.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import type { Logger } from "#base/log.ts";
import type { Metrics } from "#base/metrics.ts";
import type { Rng } from "#base/rng.ts";
import type { Client } from "#client/client.ts";
import type { InformerFactory } from "#informers/informer.ts";
import type { SyncTrace } from "./trace.ts";

export interface ControllerContext {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly gates: FeatureGates;
  /** One factory for all controllers: each resource is watched once. */
  readonly informers: InformerFactory;
  /** A client under the identity of this name: its own service account and its own rate limit. */
  client(identity: string): Promise<Client>;
  /** Absent when nobody looks. */
  readonly trace?: SyncTrace;
}

export interface ControllerDescriptor<Options = undefined> {
  /** As in --controllers. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** All must be on, or the controller is not built. */
  readonly featureGates: readonly string[];
  /** The service account it acts under. */
  readonly identity: string;
  /** Returns nothing when the options switch the controller off. A failure ends the program. */
  build(context: ControllerContext, options: Options): Promise<Controller | undefined>;
}

export interface Controller {
  /** Resolves after everything it started has ended. */
  run(signal: AbortSignal): Promise<void>;
}
