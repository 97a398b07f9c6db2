// Runs the Go manager, with service account credentials and its default content type, and the Go scheduler on the
// embedded API server under load, for some minutes (the first argument, 10 unless given). The same programs run on the
// real API server at the same time. Prints the warnings and errors that they log only on the embedded server; errors
// make the run fail.

import { setTimeout as sleep } from "node:timers/promises";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { runManager } from "#cluster/manager.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { buildSimulatedNodes } from "#nodes/simulated-nodes.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { systemHost } from "#platform/system/system-host.ts";
import { systemRng } from "#platform/system/system-rng.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { startEmbeddedServer } from "#test/real/embedded-server.ts";
import { complaintsIn, onlyIn } from "./klog-lines.ts";
import { load } from "./load.ts";

const NODES = 4;
const minutes = Number(process.argv[2] ?? 10);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Beside {
  readonly manager: RunningManager;
  readonly scheduler: RunningManager;
  /** Stops the load and the nodes; the Go programs continue. Returns the number of rounds. */
  rest(): Promise<number>;
}

async function startBeside(plane: ControlPlane, server: string): Promise<Beside> {
  const stop = new AbortController();
  const nodes = runNodes(plane, server, stop.signal);
  const flagsFor = (user: string): string[] => {
    const kubeconfig = plane.kubeconfigFor({ user }, server);
    return ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map(
      (flag) => `--${flag}=${kubeconfig}`,
    );
  };
  const manager = await plane.startGoManager({ flags: flagsFor("system:kube-controller-manager") });
  const scheduler = await plane.startScheduler(flagsFor("system:kube-scheduler"));
  const rounds = load(plane, server, stop.signal);
  return {
    manager,
    scheduler,
    async rest() {
      stop.abort();
      await nodes;
      return await rounds;
    },
  };
}

/** Acts as the kubelets, which none of the programs provide. */
async function runNodes({ pki, admin }: ControlPlane, baseUrl: string, signal: AbortSignal): Promise<void> {
  const { certificatePem: cert, keyPem: key } = admin;
  const transport = await createHttpClient({ baseUrl, ca: pki.ca.certificatePem, cert, key });
  await runManager(
    {
      clock: systemClock,
      rng: systemRng(),
      log: noLog,
      metrics: noMetrics,
      gates: new FeatureGates(featureGateTable(), "1.36"),
      host: systemHost({}),
      shutdownTimeoutMs: 5_000,
      config: { ...defaultConfig, Generic: { ...defaultConfig.Generic, Controllers: ["nodes"] } },
      isAssigned: (name) => name === "nodes",
      hasTokenController: false,
      transport,
      clients: { limits: { qps: -1, burst: 0 }, userAgentPrefix: "nodes" },
      controllers: [
        {
          name: "nodes",
          featureGates: [],
          build: (context) => buildSimulatedNodes(context, { count: NODES, startMs: 300, stopMs: 500 }),
        },
      ],
    },
    signal,
  );
  transport.close();
}

const plane = await startControlPlane({});
const embedded = await startEmbeddedServer(plane.pki);
let errors = 0;
try {
  say(`go-beside: ${minutes} minutes of load on the embedded server (${embedded.url}) and on the real one`);
  const ours = await startBeside(plane, embedded.url);
  const theirs = await startBeside(plane, plane.server);
  for (let minute = 1; minute <= minutes; minute++) {
    await sleep(60_000);
    const ended = [ours.manager, ours.scheduler].find(({ isRunning }) => !isRunning);
    if (ended !== undefined) throw new Error(`${ended.name} ended: ${await ended.ended}\n${ended.log().slice(-2000)}`);
    say(`minute ${minute}: ${complaintsIn(ours.manager.log()).size} kinds of complaints of the manager so far`);
  }
  const rounds = [await ours.rest(), await theirs.rest()];
  say(`rounds of load: ${rounds[0]} on the embedded server, ${rounds[1]} on the real one`);
  for (const program of ["manager", "scheduler"] as const) {
    const known = complaintsIn(theirs[program].log());
    const alone = onlyIn(complaintsIn(ours[program].log()), known);
    say(`${program}: ${known.size} kinds of complaints on the real server, ${alone.length} on the embedded one alone`);
    for (const [line, count] of alone) say(`  ${count} times ${line}`);
    errors += alone.filter(([line]) => line.startsWith("E ")).length;
  }
} finally {
  await plane.stop();
  await embedded.close();
}
process.exitCode = errors === 0 ? 0 : 1;
