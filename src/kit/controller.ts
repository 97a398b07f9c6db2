// The interface between a controller and the program that runs it: a name, a context to build from, and a run that ends
// when its signal aborts.

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

/** Special needs of a client. */
export interface ClientNeeds {
  readonly qpsFactor?: number;
  readonly burstFactor?: number;
  /** For discovery: rare bursts of requests, each with a timeout. The limits of the flags do not apply. */
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
  /**
   * Resolves when all informers requested while building have been started. More may be requested and started
   * afterwards.
   */
  readonly informersStarted: Promise<void>;
  /** Maps kinds to resources. It asks the server on first use and refreshes every 30 seconds. */
  readonly restMapper: RestMapper;
  /** The caches of the garbage collector, if it runs. */
  readonly monitored: MonitoredResources;
  /** One to two times --min-resync-period, drawn anew each time: informers must not resync in step. */
  resyncPeriodMs(): number;
  /** A client under the identity of this name: its own service account and its own rate limit. */
  client(identity: string, needs?: ClientNeeds): Promise<Client>;
  /** Reports that a controller which another manager could also run is running here, until disposed. */
  markRunning(name: string): Disposable;
  /** Absent without a listener. */
  readonly trace?: SyncTrace;
}

export interface ControllerDescriptor<Options = undefined> {
  /** As in --controllers. Identity, aliases and gates follow from it. */
  readonly name: ControllerName;
  readonly contract: Contract;
  /**
   * Returns undefined when the options switch the controller off. A failure ends the program. The signal ends waiting
   * for anything that the build needs.
   */
  build(context: ControllerContext, options: Options, signal: AbortSignal): Promise<Controller | undefined>;
}

export interface Controller {
  /** Resolves after every task it started has ended. */
  run(signal: AbortSignal): Promise<void>;
  /** Answers requests below /debug/controllers/<name>, with that prefix removed. */
  debug?(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> | HttpResponse;
}
