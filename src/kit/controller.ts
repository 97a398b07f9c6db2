// What a controller is to the program that runs it: a name, a context to be built from, and a run that
// ends when its signal aborts.

import type { Clock } from "#base/clock.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import type { Host } from "#base/host.ts";
import type { HttpRequest, HttpResponse } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import type { Metrics } from "#base/metrics.ts";
import type { Rng } from "#base/rng.ts";
import type { Client } from "#client/client.ts";
import type { RestMapper } from "#client/rest-mapper.ts";
import type { InformerFactory } from "#informers/informer.ts";
import type { Contract } from "./contract.ts";
import type { ControllerName } from "./known-controllers.ts";
import type { MonitoredResources } from "./monitored-resources.ts";
import type { SyncTrace } from "./trace.ts";

/** Some clients may do more than others. */
export interface ClientNeeds {
  readonly qpsFactor?: number;
  readonly burstFactor?: number;
  /** For discovery: many requests at once, seldom, and none for ever. The flags' limits do not count. */
  readonly isDiscovery?: boolean;
}

export interface ControllerContext {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly gates: FeatureGates;
  readonly host: Host;
  /** One factory for all controllers: each resource is watched once. */
  readonly informers: InformerFactory;
  /** All informers that were asked for while building have been started; more may be asked for and started now. */
  readonly informersStarted: Promise<void>;
  /** From kinds to resources. Asks the server when it is first used, and anew every 30 seconds. */
  readonly restMapper: RestMapper;
  /** The caches of the garbage collector, if it runs. */
  readonly monitored: MonitoredResources;
  /** One to two times --min-resync-period, drawn anew each time: informers must not resync in step. */
  resyncPeriodMs(): number;
  /** A client under the identity of this name: its own service account and its own rate limit. */
  client(identity: string, needs?: ClientNeeds): Promise<Client>;
  /** Reports a controller that another manager could run instead as running here, until disposed. */
  markRunning(name: string): Disposable;
  /** Absent without a listener. */
  readonly trace?: SyncTrace;
}

export interface ControllerDescriptor<Options = undefined> {
  /** As in --controllers. Identity, aliases and gates go by it. */
  readonly name: ControllerName;
  readonly contract: Contract;
  /**
   * Returns nothing when the options switch the controller off. A failure ends the program. The signal is for what it
   * must wait for before it can be built.
   */
  build(context: ControllerContext, options: Options, signal: AbortSignal): Promise<Controller | undefined>;
}

export interface Controller {
  /** Resolves after everything it started has ended. */
  run(signal: AbortSignal): Promise<void>;
  /** Answers below /debug/controllers/<name>; that part of the path is cut off. */
  debug?(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> | HttpResponse;
}
