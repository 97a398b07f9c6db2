// The parts that all controllers of one run share: informers, mappings and random numbers. Built once the API server is
// healthy. A part that no controller uses costs no request, no timer and next to no memory.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, CreateControllerContext.

import { durationMs } from "#api/go-duration.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage, isAborted } from "#base/errors.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import { jitterMs } from "#base/go-backoff.ts";
import type { Logger } from "#base/log.ts";
import type { Metrics } from "#base/metrics.ts";
import type { Rng } from "#base/rng.ts";
import type { Client } from "#client/client.ts";
import { createDiscovery } from "#client/discovery.ts";
import { cachedDiscovery } from "#client/discovery-cache.ts";
import { createRestMapper } from "#client/rest-mapper.ts";
import { createInformerFactory } from "#informers/factory.ts";
import type { ClientNeeds, ControllerContext } from "#kit/controller.ts";
import { MonitoredResources } from "#kit/monitored-resources.ts";
import type { SyncTrace } from "#kit/trace.ts";
import { waitForApiServer } from "./api-server-health.ts";
import type { ClientBuilder } from "./clients/client-builder.ts";
import type { ControllerSettings } from "./registry.ts";
import { resettingMapper } from "./resetting-mapper.ts";

const MANAGER = "kube-controller-manager";

export interface ContextDeps {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly gates: FeatureGates;
  readonly settings: ControllerSettings;
  /** For informers and discovery of all controllers. */
  readonly rootClients: ClientBuilder;
  readonly trace?: SyncTrace;
}

export interface SharedContext {
  /** The context of a controller whose clients come from this builder. */
  for(clients: ClientBuilder): ControllerContext;
  /** Starts full informers, then metadata informers, then resolves informersStarted. */
  start(): void;
  /** Resolves when every informer that was started has synced. */
  synced(signal: AbortSignal): Promise<void>;
  shutdown(): Promise<void>;
}

export async function createControllerContext(deps: ContextDeps, signal: AbortSignal): Promise<SharedContext> {
  const { clock, rng, log, metrics, gates, trace, rootClients, settings } = deps;
  const draws = rng.fork("resync");
  const resyncPeriodMs = (): number => jitterMs(durationMs(settings.config.Generic.MinResyncPeriod), 1, draws);
  const client = await rootClients.client("shared-informers", {}, signal);
  const metadataClient = await rootClients.client("metadata-informers", {}, signal);
  const isOn = (gate: string): boolean => gates.isEnabled(gate);
  const informers = createInformerFactory({
    client,
    metadataClient,
    clock,
    rng: rng.fork("informers"),
    log,
    metrics: { metrics, name: MANAGER },
    resyncPeriodMs: resyncPeriodMs(),
    metadataResyncPeriodMs: resyncPeriodMs(),
    gates: {
      WatchListClient: isOn("WatchListClient"),
      AtomicFIFO: isOn("AtomicFIFO"),
      InOrderInformersBatchProcess: isOn("InOrderInformersBatchProcess"),
    },
  });
  await waitForApiServer(client, clock, log, signal);
  const discoveryClient = await rootClients.client("controller-discovery", { isDiscovery: true }, signal);
  const mapper = createRestMapper(cachedDiscovery(createDiscovery(discoveryClient)));
  const started = Promise.withResolvers<void>();
  const shared = {
    clock,
    rng,
    log,
    metrics,
    gates,
    host: settings.host,
    informers,
    informersStarted: started.promise,
    restMapper: resettingMapper(mapper, clock),
    monitored: new MonitoredResources(),
    resyncPeriodMs,
    markRunning: runningMarker(metrics),
    ...(trace === undefined ? {} : { trace }),
  };
  return {
    for: (clients) => ({ ...shared, client: (identity, needs = {}) => namedClient(clients, identity, needs, signal) }),
    start() {
      informers.start();
      started.resolve();
    },
    synced: (signal) => informers.waitForCacheSync(signal),
    shutdown: () => informers.shutdown(),
  };
}

/** The error names the controller whose client cannot be built: its account cannot be read or created. */
async function namedClient(
  clients: ClientBuilder,
  name: string,
  needs: ClientNeeds,
  signal: AbortSignal,
): Promise<Client> {
  try {
    return await clients.client(name, needs, signal);
  } catch (cause) {
    if (isAborted(cause, signal)) throw cause;
    throw new ClientNotCreated(`failed to create Kubernetes client for "${name}": ${errorMessage(cause)}`, { cause });
  }
}

class ClientNotCreated extends Error {
  override readonly name = "ClientNotCreated";
}

// Upstream: component-base/metrics/prometheus/controllers/metrics.go.
export function runningMarker(metrics: Metrics): ControllerContext["markRunning"] {
  const running = metrics.gauge({
    name: "running_managed_controllers",
    help: "Indicates where instances of a controller are currently running",
    stability: "BETA",
    labels: ["name", "manager"],
  });
  return (name) => {
    running.set(1, [name, MANAGER]);
    return { [Symbol.dispose]: () => running.set(0, [name, MANAGER]) };
  };
}
