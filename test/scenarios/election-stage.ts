// Electors on the embedded server under the virtual clock, each with a separate network that can fail.

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import type { LeaseSpec } from "#api/generated/types/coordination-v1.ts";
import { isNotFound } from "#api/status-error.ts";
import { bytesTransport } from "#apiserver/in-process-transport.ts";
import type { Clock } from "#base/clock.ts";
import type { FeatureTable } from "#base/feature-gates.ts";
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { hostTurn } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { EventBroadcaster } from "#kit/events/broadcaster.ts";
import { eventSink } from "#kit/events/sink.ts";
import { Elector, type ElectorOptions } from "#manager/election/elector.ts";
import { LeaseLock } from "#manager/election/lease-lock.ts";
import { registerElectionMetrics } from "#manager/election/metrics.ts";
import type { LoggedRequest } from "#sim/request-log.ts";
import { World } from "#sim/world.ts";

export const NAMESPACE = "kube-system";
export const LEASE = "kube-controller-manager";
const PATH = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;

const gates: FeatureTable = {
  gates: { CoordinatedLeaderElection: [{ version: "1.36", default: true, preRelease: "BETA" }] },
};

/**
 * The effect of the network on a request: none, an error answer (after some time), a lost answer, silence, or an answer
 * after 4 s.
 */
export type NetworkFault =
  | "none"
  | "refused"
  | "silent"
  | "reply lost"
  | "late"
  | { readonly status: number; readonly afterMs?: number };

const LATE_MS = 4000;

export interface RunningElector {
  readonly elector: Elector;
  readonly lock: LeaseLock;
  readonly registry: MetricRegistry;
  /** "started", "stopped", in order. */
  readonly calls: string[];
  /** The signal of onStartedLeading. */
  readonly leading: () => AbortSignal | undefined;
  /** From now on, the fault affects requests of these methods. */
  fail(fault: NetworkFault, ...methods: string[]): void;
  readonly stop: AbortController;
  /** The elector's requests for the lease, in order. */
  requests(): readonly LoggedRequest[];
}

export class ElectionStage {
  readonly world: World;
  readonly transport: Transport;

  constructor(seed: string) {
    this.world = new World({ turn: hostTurn, gates, seed });
    this.transport = bytesTransport(this.world.server, {
      peer: { user: { name: "admin", groups: ["system:masters"] } },
    });
  }

  start(identity: string, options: Partial<ElectorOptions> = {}): RunningElector {
    const { world } = this;
    const { clock } = world;
    let fault: NetworkFault = "none";
    let struck: readonly string[] = [];
    const network = failing(this.transport, clock, (request) => (struck.includes(request.method) ? fault : "none"));
    const client = createClient({
      transport: world.log.over(network),
      clock,
      userAgent: `kube-controller-manager/${identity}`,
      timeoutMs: 5000,
    });
    const stop = new AbortController();
    const broadcaster = new EventBroadcaster(
      { clock, rng: world.rng.fork(`events-${identity}`), log: noLog, sink: eventSink(world.client) },
      { logLevel: 0 },
    );
    void broadcaster.run(new AbortController().signal);
    const registry = new MetricRegistry({ version: "1.36.4" });
    const calls: string[] = [];
    let leading: AbortSignal | undefined;
    const lock = new LeaseLock({
      leases: client.resource(Leases),
      namespace: NAMESPACE,
      name: options.name ?? LEASE,
      identity,
      recorder: broadcaster.recorder("kube-controller-manager"),
    });
    const elector = new Elector({
      clock,
      rng: world.rng.fork(identity),
      log: noLog,
      metrics: registerElectionMetrics(registry),
      lock,
      name: LEASE,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
      releaseOnCancel: false,
      isCoordinated: false,
      onStartedLeading: (signal) => {
        leading = signal;
        calls.push("started");
      },
      onStoppedLeading: () => calls.push("stopped"),
      ...options,
    });
    void elector.run(stop.signal);
    return {
      elector,
      lock,
      registry,
      calls,
      stop,
      leading: () => leading,
      fail(next, ...methods) {
        fault = next;
        struck = methods;
      },
      requests: () => world.log.requests.filter(({ who, target }) => who === identity && target.startsWith(PATH)),
    };
  }

  /** A new lock, for tests that create an elector themselves. */
  lock(identity: string, name: string): LeaseLock {
    const { world } = this;
    const client = createClient({
      transport: world.log.over(this.transport),
      clock: world.clock,
      userAgent: `kube-controller-manager/${identity}`,
    });
    return new LeaseLock({ leases: client.resource(Leases), namespace: NAMESPACE, name, identity });
  }

  async lease(): Promise<LeaseSpec | undefined> {
    try {
      const { spec } = await this.world.do((client, signal) =>
        client.resource(Leases).get({ namespace: NAMESPACE, name: LEASE }, signal),
      );
      return spec;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Writes the lease as another client. */
  async write(spec: LeaseSpec): Promise<void> {
    const metadata = { namespace: NAMESPACE, name: LEASE };
    const isThere = (await this.lease()) !== undefined;
    await this.world.do((client, signal) => {
      const leases = client.resource(Leases);
      return isThere
        ? leases.patch({ ...metadata, type: "merge", patch: { spec } }, signal)
        : leases.create({ object: { metadata, spec } }, signal);
    });
  }

  /** Writes a lease whose holder does not run. */
  held(holderIdentity: string, more: LeaseSpec = {}): Promise<void> {
    const time = "2026-01-01T00:00:00.100000Z";
    return this.write({
      holderIdentity,
      leaseDurationSeconds: 15,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 3,
      ...more,
    });
  }

  pass(seconds: number): Promise<void> {
    return this.world.advance(seconds * 1000);
  }
}

function failing(transport: Transport, clock: Clock, faultOf: (request: HttpRequest) => NetworkFault): Transport {
  return {
    async send(request, signal) {
      const fault = faultOf(request);
      if (fault === "none") return transport.send(request, signal);
      if (fault === "refused") throw new TransportError("refused", "connection refused");
      if (fault === "silent") return silence(signal);
      if (fault === "late") {
        const response = await transport.send(request, signal);
        await clock.sleep(LATE_MS, signal);
        return response;
      }
      if (fault === "reply lost") {
        await transport.send(request, signal);
        throw new TransportError("reset", "connection reset");
      }
      if (fault.afterMs !== undefined) await clock.sleep(fault.afterMs, signal);
      const body = { kind: "Status", apiVersion: "v1", status: "Failure", message: "injected", code: fault.status };
      return {
        status: fault.status,
        headers: { "content-type": "application/json" },
        body: { kind: "bytes", bytes: new TextEncoder().encode(JSON.stringify(body)) },
      };
    },
  };
}

function silence(signal: AbortSignal): Promise<HttpResponse> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
