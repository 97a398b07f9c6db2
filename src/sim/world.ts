// A whole cluster under the virtual clock: the embedded API server, the requested controllers, and an administrator's
// client. All randomness comes from one seed, all waiting from one clock.

import type { UserInfo } from "#api/user-info.ts";
import { defaultPlugins } from "#apiserver/admission/default-plugins.ts";
import type { RuntimeConfig } from "#apiserver/builtin/runtime-config.ts";
import { type ApiServerOptions, createApiServer } from "#apiserver/create-api-server.ts";
import type { AuditSink } from "#apiserver/filters/audit.ts";
import { bytesTransport } from "#apiserver/in-process-transport.ts";
import type { Journal } from "#apiserver/storage/journal.ts";
import type { TokenKeys } from "#apiserver/tokens/account-tokens.ts";
import { checksumKeys } from "#apiserver/tokens/checksum-keys.ts";
import type { EpochMs } from "#base/clock.ts";
import { FeatureGates, type FeatureTable } from "#base/feature-gates.ts";
import type { Keys } from "#base/host.ts";
import type { Transport } from "#base/http.ts";
import { type Logger, noLog } from "#base/log.ts";
import { type Metrics, noMetrics } from "#base/metrics.ts";
import type { Rng } from "#base/rng.ts";
import { seededRng } from "#base/seeded-rng.ts";
import type { TimeZones } from "#base/time-zones.ts";
import { VirtualClock } from "#base/virtual-clock.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { clusterFiles, runManager } from "#cluster/manager.ts";
import type { SyncTrace } from "#kit/trace.ts";
import { type ComponentConfig, defaultConfig } from "#manager/options/config.ts";
import { serviceAccountTokens } from "#manager/registry.ts";
import { AggregatedApis } from "./aggregated-apis.ts";
import { RequestLog } from "./request-log.ts";
import { RestartableServer } from "./restartable-server.ts";
import { SimulatedHost } from "./simulated-host.ts";

const USER_AGENT = "kube-controller-manager/v1.36.4 (linux/amd64) kubernetes/simulated";

export interface WorldOptions {
  /** One turn of the host's event loop, provided by the composition root. */
  readonly turn: () => Promise<void>;
  /** The start time of the clock. */
  readonly startMs?: EpochMs;
  /** Only UTC unless given. */
  readonly timeZones?: TimeZones;
  /** Cryptography of the managers' host; none unless given. */
  readonly keys?: Keys;
  /** Cryptography of the server; absent: it does not parse certificates. */
  readonly keyReader?: NonNullable<ApiServerOptions["keyReader"]>;
  readonly seed?: string | number;
  readonly gates: FeatureTable;
  readonly log?: Logger;
  /** The journal of the server's store; absent: the store ends with the server. */
  readonly openJournal?: () => Journal;
  /** Gates of the server that differ from their defaults. */
  readonly serverGates?: Readonly<Record<string, boolean>>;
  /** The versions and resources to serve, like --runtime-config. */
  readonly runtimeConfig?: RuntimeConfig;
  /** Receives every request with its answer. */
  readonly audit?: AuditSink;
}

export interface ManagerOptions {
  /** Like --controllers; the service account token controller runs only when it is named. */
  readonly controllers: readonly string[];
  /** PEM: the API server's CA in the client configuration. */
  readonly rootCa?: string;
  readonly gates?: Readonly<Record<string, boolean>>;
  readonly config?: Partial<ComponentConfig>;
  readonly metrics?: Metrics;
  /** Absent: the world's. */
  readonly log?: Logger;
  readonly trace?: SyncTrace;
  /** A faulty network between the manager and the server. */
  readonly network?: (transport: Transport) => Transport;
  /** Requests per second of each controller; high unless a scenario tests throttling. */
  readonly qps?: number;
  /** Like --use-service-account-credentials: each controller uses its service account in kube-system. */
  readonly useServiceAccountCredentials?: boolean;
}

export interface RunningManager {
  /** Aborts its tasks and waits for their end. */
  stop(): Promise<void>;
}

export class World {
  readonly clock: VirtualClock;
  readonly rng: Rng;
  readonly log: RequestLog;
  readonly server: RestartableServer;
  /** The host of the managers. */
  readonly host: SimulatedHost;
  /** Groups behind the server's aggregator. */
  readonly apis: AggregatedApis;
  /** As a member of system:masters. */
  readonly client: Client;
  /** Requests of managers, not of the scenario itself. */
  readonly #options: WorldOptions;
  readonly #transport: Transport;
  readonly #managerTransport: Transport;
  readonly #tokenKeys: TokenKeys;
  #managers = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.clock = new VirtualClock({
      turn: options.turn,
      ...(options.startMs !== undefined && { startMs: options.startMs }),
    });
    this.rng = seededRng(options.seed ?? "world");
    this.log = new RequestLog(this.clock);
    const gates = new FeatureGates(options.gates, "1.36");
    gates.setFromMap(options.serverGates ?? {});
    this.#tokenKeys = checksumKeys(this.rng.fork("token-keys").uuid());
    const { openJournal, timeZones, keys, keyReader } = options;
    this.host = new SimulatedHost({
      tokenKeys: this.#tokenKeys,
      ...(timeZones === undefined ? {} : { timeZones }),
      ...(keys === undefined ? {} : { keys }),
    });
    this.host.write(clusterFiles.accountKey, "the key of service account tokens");
    this.apis = new AggregatedApis();
    const audit = options.audit && this.apis.withoutBodies(options.audit);
    this.server = new RestartableServer({
      clock: this.clock,
      ...(openJournal === undefined ? {} : { openJournal }),
      create: (storage, starts) =>
        this.apis.over(
          createApiServer({
            clock: this.clock,
            rng: this.rng.fork(starts === 1 ? "apiserver" : `apiserver-${starts}`),
            log: options.log ?? noLog,
            metrics: noMetrics,
            storage,
            gates: { isEnabled: (name) => gates.has(name) && gates.isEnabled(name) },
            admission: defaultPlugins,
            tokenKeys: this.#tokenKeys,
            timeZones: this.host.timeZones,
            ...(keyReader === undefined ? {} : { keyReader }),
            ...(audit === undefined ? {} : { audit }),
            ...(options.runtimeConfig === undefined ? {} : { runtimeConfig: options.runtimeConfig }),
          }),
        ),
    });
    const asMaster = (name: string): Transport =>
      bytesTransport(this.server, { peer: { user: { name, groups: ["system:masters"] } } });
    this.#transport = asMaster("admin");
    this.#managerTransport = asMaster("system:kube-controller-manager");
    this.client = createClient({ transport: this.#transport, clock: this.clock, userAgent: "scenario" });
  }

  /** Starts the controllers; they run as time advances. */
  startManager(options: ManagerOptions): RunningManager {
    const stop = new AbortController();
    const gates = new FeatureGates(this.#options.gates, "1.36");
    gates.setFromMap(options.gates ?? {});
    const network = options.network ?? ((transport: Transport): Transport => transport);
    const qps = options.qps ?? 10_000;
    const config: ComponentConfig = { ...defaultConfig, ...options.config };
    const ended = runManager(
      {
        clock: this.clock,
        rng: this.rng.fork(this.#managers++ === 0 ? "manager" : `manager-${this.#managers}`),
        log: options.log ?? this.#options.log ?? noLog,
        metrics: options.metrics ?? noMetrics,
        gates,
        config: { ...config, Generic: { ...config.Generic, Controllers: options.controllers } },
        host: { ...this.host, apiServerCa: options.rootCa ?? "" },
        hasTokenController: options.controllers.includes(serviceAccountTokens.name),
        transport: this.log.over(network(this.#managerTransport)),
        ...(options.useServiceAccountCredentials
          ? { anonymous: this.log.over(network(bytesTransport(this.server))) }
          : {}),
        clients: { limits: { qps, burst: qps }, userAgentPrefix: USER_AGENT },
        shutdownTimeoutMs: 0,
        ...(options.trace === undefined ? {} : { trace: options.trace }),
      },
      stop.signal,
    );
    ended.catch(() => undefined); // reported by stop(), or by the assertion that failed because of it
    return {
      stop: async () => {
        stop.abort();
        await ended;
      },
    };
  }

  /** Advances the time and runs everything that becomes due. */
  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /** A client of a user other than the administrator. */
  clientOf(user: UserInfo): Client {
    const transport = bytesTransport(this.server, { peer: { user } });
    return createClient({ transport, clock: this.clock, userAgent: "scenario" });
  }

  /** Runs a call of the scenario while the world continues. */
  async do<T>(call: (client: Client, signal: AbortSignal) => Promise<T>, client: Client = this.client): Promise<T> {
    let result: { value: T } | { error: unknown } | undefined;
    void call(client, new AbortController().signal).then(
      (value) => (result = { value }),
      (error: unknown) => (result = { error }),
    );
    const isDone = await this.clock.runUntil(() => result !== undefined, 120_000);
    if (!isDone || result === undefined) throw new Error("the call did not end within two virtual minutes");
    if ("error" in result) throw result.error;
    return result.value;
  }

  /** Advances the time until the probe returns a value. */
  async until<T>(probe: (client: Client, signal: AbortSignal) => Promise<T | undefined>, limitMs = 60_000): Promise<T> {
    const endMs = this.clock.monotonicMs() + limitMs;
    for (;;) {
      const found = await this.do(probe);
      if (found !== undefined) return found;
      if (this.clock.monotonicMs() >= endMs) throw new Error(`not within ${limitMs} virtual ms: ${probe}`);
      await this.advance(100);
    }
  }
}
