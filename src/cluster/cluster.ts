// A whole cluster, built from a clock, a random source, a store and a host: the embedded API server, the controllers of
// kube-controller-manager, the scheduler and simulated nodes. It uses neither files nor sockets: the composition root
// listens, and `server.handle` answers.

import { choosePlugins, type PluginChoice } from "#apiserver/admission/default-plugins.ts";
import { unconnected } from "#apiserver/aggregation/remote-version.ts";
import { type ApiServer, type ApiServerOptions, createApiServer } from "#apiserver/create-api-server.ts";
import { directTransport } from "#apiserver/in-process-transport.ts";
import type { Clock } from "#base/clock.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import type { Host } from "#base/host.ts";
import type { Transport } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import type { Rng } from "#base/rng.ts";
import { createClient } from "#client/create-client.ts";
import type { ComponentHealth, Components } from "#kinds/hooks.ts";
import { type ClientBuilder, rootClientBuilder } from "#manager/clients/client-builder.ts";
import { isSelected } from "#manager/controller-selection.ts";
import type { ComponentConfig } from "#manager/options/config.ts";
import { type RegisteredController, registeredControllers, serviceAccountTokens } from "#manager/registry.ts";
import { METRICS_ADDRESS, MetricsApi } from "#nodes/metrics-api.ts";
import { buildSimulatedDisks, createDefaultClass } from "#nodes/simulated-disks.ts";
import { simulatedKubelets } from "#nodes/simulated-kubelets.ts";
import { buildSimulatedNodes, nodeNames, type SimulatedNodesOptions } from "#nodes/simulated-nodes.ts";
import type { Stages } from "#nodes/stages.ts";
import { removeSurplusNodes } from "#nodes/surplus-nodes.ts";
import { buildScheduler, SCHEDULER_IDENTITY } from "#scheduler/scheduler.ts";
import { leadWhilePossible } from "./leadership.ts";
import { runManager, withCa } from "./manager.ts";

const USER_AGENT = "steersman";
/** The field manager of the controllers: the part of a user agent before its first slash. */
const MANAGER_AGENT = "kube-controller-manager";
const COMPANIONS = ["scheduler", "nodes", "disks"];
const NODE_START_MS = 300;
const NODE_STOP_MS = 500;

export interface ClusterOptions {
  readonly clock: Clock;
  readonly rng: Rng;
  /** The API server's log. */
  readonly log: Logger;
  /** The log of the controllers, the scheduler and the nodes. */
  readonly controllerLog: Logger;
  readonly gates: FeatureGates;
  /** Contains the files of manager.ts. */
  readonly host: Host;
  /** The caller closes its storage. */
  readonly server: Omit<ApiServerOptions, "clock" | "rng" | "log" | "gates" | "timeZones" | "admission">;
  /** Generic.Controllers selects the controllers. */
  readonly config: ComponentConfig;
  readonly nodes: number;
  /** Absent: pods behave according to their annotations, and nodes never fail. */
  readonly stages?: Stages;
  /** Absent: the plugins that are on by default. */
  readonly admissionPlugins?: PluginChoice;
  /** The controllers run under the Lease of this holder; absent: without a Lease. */
  readonly leaseHolder?: string;
  /** Called at each try while another manager holds the Lease. */
  readonly onWaiting?: (holder: string) => void;
  readonly shutdownTimeoutMs: number;
  /**
   * Called before each request of the parts, and again after each wait. Returns a promise to wait for when sockets must
   * be served.
   */
  readonly nextTurn?: () => Promise<void> | undefined;
}

export interface Cluster {
  readonly server: ApiServer;
  /** The controllers that run. Before they are built: those that the configuration and the feature gates select. */
  readonly controllers: readonly string[];
  /** All nodes are Ready, and the caches of all controllers have synced. */
  readonly ready: Promise<void>;
  /**
   * Resolves when all nodes accept pods. Without the node lifecycle controller, which untaints new nodes, it never
   * resolves.
   */
  readonly takesPods: Promise<void>;
  /**
   * Starts all parts except the server, which answers from the beginning. Resolves at the end, and rejects when a part
   * fails.
   */
  run(signal: AbortSignal): Promise<void>;
}

export function createCluster(options: ClusterOptions): Cluster {
  const { clock, log, gates, host, config } = options;
  const health = new PartsHealth();
  const metricsApi = new MetricsApi(clock);
  const connect = options.server.connect ?? unconnected;
  const server = createApiServer({
    components: health.components,
    ...(options.nodes > 0 ? { kubelets: simulatedKubelets(clock) } : {}),
    ...options.server,
    connect: (target) => (target.address === METRICS_ADDRESS ? metricsApi : connect(target)),
    clock,
    rng: options.rng.fork("apiserver"),
    log,
    gates,
    timeZones: host.timeZones,
    admission: choosePlugins(options.admissionPlugins ?? {}),
  });
  const selected = registeredControllers.filter(
    ({ name, featureGates }) =>
      isSelected(name, config.Generic.Controllers) && featureGates.every((gate) => gates.isEnabled(gate)),
  );
  const managerReady = Promise.withResolvers<void>();
  const nodesReady = Promise.withResolvers<void>();
  const untainted = Promise.withResolvers<void>();
  let controllers: readonly string[] = [serviceAccountTokens, ...selected].map(({ name }) => name);
  return {
    server,
    get controllers() {
      return controllers;
    },
    ready: Promise.all([managerReady.promise, nodesReady.promise]).then(() => undefined),
    takesPods: untainted.promise,
    run: async (signal) => {
      health.areRunning = true;
      const onBuilt = (names: readonly string[]): void => {
        controllers = names;
      };
      const onManager = (): void => {
        health.isManagerReady = true;
        managerReady.resolve();
      };
      try {
        await runParts(
          options,
          server,
          { onBuilt, onManager, onNodes: nodesReady.resolve, onUntainted: untainted.resolve, metricsApi },
          signal,
        );
      } finally {
        health.areRunning = false;
      }
    },
  };
}

/** The health of this process's parts, for ComponentStatus. The store is healthy while the server runs. */
class PartsHealth {
  areRunning = false;
  isManagerReady = false;
  readonly components: Components = {
    "controller-manager": async () =>
      healthOf(this.areRunning && this.isManagerReady, "it is not running or has not synced"),
    scheduler: async () => healthOf(this.areRunning, "it is not running"),
    "etcd-0": async () => healthOf(true, ""),
  };
}

const healthOf = (isHealthy: boolean, problem: string): ComponentHealth => ({
  isHealthy,
  message: isHealthy ? "ok" : problem,
});

interface Readiness {
  onBuilt(controllers: readonly string[]): void;
  onManager(): void;
  onNodes(): void;
  onUntainted(): void;
  readonly metricsApi: MetricsApi;
}

const ACCOUNT_GROUPS = ["system:serviceaccounts", "system:serviceaccounts:kube-system"];

async function runParts(
  options: ClusterOptions,
  server: ApiServer,
  { onBuilt, onManager, onNodes, onUntainted, metricsApi }: Readiness,
  signal: AbortSignal,
): Promise<void> {
  const { clock, rng, controllerLog: log, gates, host, shutdownTimeoutMs, leaseHolder, nodes } = options;
  const as = (name: string, ...groups: string[]): Transport => {
    const transport = directTransport(server, {
      peer: { user: { name, groups: [...groups, "system:authenticated"] } },
    });
    return options.nextTurn === undefined ? transport : withTurns(transport, options.nextTurn);
  };
  const asAdmin = (): Transport => as("steersman", "system:masters");
  const admin = createClient({ transport: asAdmin(), clock, userAgent: USER_AGENT, direct: true });
  for (const node of await removeSurplusNodes(admin, new Set(nodeNames(nodes)), signal)) {
    log.info("Removed a node of an earlier run, and its pods", { node });
  }
  if (nodes > 0) await createDefaultClass(admin, signal);
  const common = { clock, log, metrics: noMetrics, gates, host, shutdownTimeoutMs };
  const clients = { limits: { qps: -1, burst: 0 }, userAgentPrefix: USER_AGENT, direct: true };
  const manage = (fence: (transport: Transport) => Transport, leading: AbortSignal): Promise<void> =>
    runManager(
      {
        ...common,
        clients: { ...clients, userAgentPrefix: MANAGER_AGENT },
        rng: rng.fork("manager"),
        config: withCa(options.config),
        hasTokenController: true,
        transport: fence(as("system:kube-controller-manager")),
        accountTransport: (account) => fence(as(`system:serviceaccount:kube-system:${account}`, ...ACCOUNT_GROUPS)),
        onBuilt: (built) => onBuilt(built.map(({ name }) => name)),
        onSynced: onManager,
      },
      leading,
    );
  const manager =
    leaseHolder === undefined
      ? manage((transport) => transport, signal)
      : leadWhilePossible(
          {
            clock,
            rng: rng.fork("election"),
            log,
            client: admin,
            identity: leaseHolder,
            election: options.config.Generic.LeaderElection,
            run: manage,
            onWaiting: options.onWaiting ?? (() => undefined),
          },
          signal,
        );
  const others = runManager(
    {
      ...common,
      clients,
      rng: rng.fork("companions"),
      config: { ...options.config, Generic: { ...options.config.Generic, Controllers: COMPANIONS } },
      isAssigned: (name) => COMPANIONS.includes(name),
      hasTokenController: false,
      transport: asAdmin(),
      controllers: otherParts(
        {
          count: nodes,
          onReady: onNodes,
          onUntainted,
          metricsApi,
          ...(options.stages && { stages: options.stages }),
        },
        rootClientBuilder(as(SCHEDULER_IDENTITY), { ...clients, clock }),
      ),
    },
    signal,
  );
  await Promise.all([manager, others]);
}

function withTurns(transport: Transport, nextTurn: () => Promise<void> | undefined): Transport {
  return {
    async send(request, signal) {
      // Of hundreds of requests that waited for one turn, most continue after later turns.
      for (let turn = nextTurn(); turn !== undefined; turn = nextTurn()) await turn;
      return transport.send(request, signal);
    },
  };
}

/** The parts of a cluster beside the API server and kube-controller-manager. */
function otherParts(
  nodes: Pick<SimulatedNodesOptions, "count" | "onReady" | "onUntainted" | "metricsApi" | "stages">,
  schedulerClients: ClientBuilder,
): readonly RegisteredController[] {
  const times = { startMs: NODE_START_MS, stopMs: NODE_STOP_MS };
  return [
    {
      name: "scheduler",
      featureGates: [],
      build: (context, _, signal) =>
        buildScheduler({ ...context, client: (name, needs = {}) => schedulerClients.client(name, needs, signal) }),
    },
    { name: "nodes", featureGates: [], build: (context) => buildSimulatedNodes(context, { ...nodes, ...times }) },
    ...(nodes.count === 0 ? [] : [{ name: "disks", featureGates: [], build: buildSimulatedDisks }]),
  ];
}
