// A terminal on each of two clusters: the one of `steersman up`, and the real control plane with Go's manager and
// scheduler. Both have simulated nodes, because kubelets need machines; those of the real cluster run in this process.

import { join } from "node:path";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { createClient } from "#client/create-client.ts";
import { runManager } from "#cluster/manager.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { MetricsApi } from "#nodes/metrics-api.ts";
import { buildSimulatedDisks, createDefaultClass } from "#nodes/simulated-disks.ts";
import { buildSimulatedNodes } from "#nodes/simulated-nodes.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { systemHost } from "#platform/system/system-host.ts";
import { systemRng } from "#platform/system/system-rng.ts";
import { type ControlPlane, startControlPlane } from "#test/real/control-plane.ts";
import { openProcessScope, type ProcessScope } from "#test/real/processes.ts";
import { eventually } from "#test/real/suite.ts";
import { openTerminal, type Terminal } from "#test/real/terminal.ts";
import { startUp } from "#test/real/up-process.ts";
import { startEgressProxy, startKubeletPort } from "./simulated-kubelet.ts";

const NODES = 2;
/** Like those of `steersman up`. */
const NODE_TIMES = { startMs: 300, stopMs: 500 };
/** The administrator of both clusters. */
const ADMIN = { user: "admin", groups: ["system:masters"] };

export interface Clusters {
  readonly ours: Terminal;
  readonly real: Terminal;
  close(): Promise<void>;
}

type Files = Readonly<Record<string, string>>;

/** Starts both clusters and writes `files` by name into the folder of each. */
export async function startClusters(files: Files): Promise<Clusters> {
  const scope = openProcessScope("steersman-kubectl");
  const [ours, { terminal: real, close }] = await Promise.all([
    openOurs(scope, files),
    startReal(scope.directory, files),
  ]);
  return {
    ours,
    real,
    close: async () => {
      await close();
      await scope.close();
    },
  };
}

async function openOurs(scope: ProcessScope, files: Files): Promise<Terminal> {
  const { server, kubeconfig, caFile } = await startUp(scope, NODES);
  return openTerminal({ name: "ours", home: join(scope.directory, "ours"), server, kubeconfig, caFile, files });
}

async function startReal(directory: string, files: Files): Promise<{ terminal: Terminal; close(): Promise<void> }> {
  const egress = await startEgressProxy(directory);
  const plane = await startControlPlane({
    apiServerFlags: [...egress.flags, "--requestheader-uid-headers=X-Remote-Uid"],
  });
  const nodes = await startNodes(plane);
  egress.lead(nodes.port);
  await Promise.all([plane.startGoManager({ flags: ["--leader-elect=true"] }), plane.startScheduler()]);
  const terminal = openTerminal({
    name: "real",
    home: join(directory, "real"),
    server: plane.server,
    kubeconfig: plane.kubeconfigFor(ADMIN),
    caFile: plane.pki.file("ca.crt"),
    files,
  });
  await eventually(async () => {
    const { stdout } = await terminal.run("kubectl api-versions", "default");
    return stdout.includes("metrics.k8s.io") ? true : undefined;
  });
  const close = async (): Promise<void> => {
    await nodes.close();
    await plane.stop();
    await egress.close();
  };
  return { terminal, close };
}

/** Runs the nodes and disks of `steersman up` as clients of the real server, and returns the port of their kubelets. */
async function startNodes(plane: ControlPlane): Promise<{ readonly port: number; close(): Promise<void> }> {
  const clock = systemClock;
  const { certificatePem: cert, keyPem: key } = plane.admin;
  const ca = plane.pki.ca.certificatePem;
  const transport = await createHttpClient({ baseUrl: plane.server, ca, cert, key });
  const client = createClient({ transport, clock, userAgent: "steersman" });
  const stop = new AbortController();
  await createDefaultClass(client, stop.signal);
  const metricsApi = new MetricsApi(clock);
  const kubelets = await startKubeletPort(client, metricsApi, plane.pki.serving);
  const ready = Promise.withResolvers<void>();
  const nodes = { count: NODES, ...NODE_TIMES, metricsApi, onReady: ready.resolve };
  const names = ["nodes", "disks"];
  const ended = runManager(
    {
      clock,
      rng: systemRng(),
      log: noLog,
      metrics: noMetrics,
      gates: new FeatureGates(featureGateTable(), "1.36"),
      host: systemHost({ certificateAuthorityData: ca }),
      config: { ...defaultConfig, Generic: { ...defaultConfig.Generic, Controllers: names } },
      isAssigned: (name) => names.includes(name),
      hasTokenController: false,
      transport,
      clients: { limits: { qps: -1, burst: 0 }, userAgentPrefix: "steersman" },
      controllers: [
        { name: "nodes", featureGates: [], build: (context) => buildSimulatedNodes(context, nodes) },
        { name: "disks", featureGates: [], build: buildSimulatedDisks },
      ],
      shutdownTimeoutMs: 5_000,
    },
    stop.signal,
  );
  await Promise.race([ready.promise, ended]);
  return {
    port: kubelets.port,
    async close() {
      stop.abort();
      await ended;
      await kubelets.close();
      transport.close();
    },
  };
}
