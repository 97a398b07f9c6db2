// The API server goes away for two minutes, comes back with another certificate, then refuses everything for a minute.
// The Go manager and ours go through it at the same time: as the only manager, as a standby and as leader.

import { beforeAll, expect, it } from "vitest";
import { issueCertificate } from "#platform/certificates/x509.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { daemonOf, goDaemon, type Side } from "#test/real/daemon.ts";
import type { FaultProxy } from "#test/real/fault-proxy.ts";
import { callHttps } from "#test/real/https.ts";
import { holderOf, shortLease } from "#test/real/leadership.ts";
import { describeReal, eventually } from "#test/real/suite.ts";
import { linesPerSecond, logFigures } from "#test/scenarios/log-rate.ts";

const LIMIT_MS = 900_000;
const OUTAGE_MS = 120_000;
const REFUSALS_MS = 30_000;
const RESTART_MS = 1000;

/** The behaviour of one program. */
interface Story {
  readonly aloneSurvives: boolean;
  readonly standbySurvives: boolean;
  /** Status codes of /healthz while the API server was gone. */
  readonly healthMeanwhile: readonly number[];
  /** The exit of the leader, each time. */
  readonly ends: readonly string[];
  readonly lostAfterMs: number;
  readonly standbyTakesOver: boolean;
  readonly logs: readonly string[];
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function live(side: Side): Promise<Story> {
  const plane = await startControlPlane();
  try {
    const proxy = await plane.startFaultProxy();
    const kubeconfig = plane.kubeconfigFor({ user: "system:kube-controller-manager" }, proxy.server);
    const through = ["", "authentication-", "authorization-"].map((kind) => `--${kind}kubeconfig=${kubeconfig}`);
    const command = daemonOf(side);
    const start = (controller: string, flags: readonly string[]): Promise<RunningManager> =>
      plane.startManager(command, { controllers: [controller], flags: [...through, ...flags] });
    // The standby tries twice a second; the leader has the default settings.
    const short = [...shortLease.flags, "--leader-elect-resource-name=standby"];
    const usual = ["--leader-elect=true", "--leader-elect-resource-name=leader"];

    const alone = await start("serviceaccount-controller", []);
    // The holder of the standby's lease has a separate connection to the API server.
    const holder = await plane.startManager(goDaemon(), {
      controllers: ["replicaset-controller"],
      flags: short,
    });
    await eventually(async () => ((await holderOf(plane, "standby")) === "" ? undefined : true));
    const standby = await start("replicaset-controller", short);
    const leader = supervise(() => start("root-ca-certificate-publisher-controller", usual));
    await working(plane, "before");

    const began = performance.now();
    await proxy.down();
    await eventually(() => (leader.ends.length > 0 ? true : undefined));
    const lostAfterMs = performance.now() - began;
    const healthMeanwhile = await Promise.all([alone, standby].map((program) => health(plane, program)));
    await sleep(OUTAGE_MS - lostAfterMs);
    await proxy.up(otherCertificate(plane));
    await working(plane, "after-the-outage");
    await refuse(proxy, 429);
    await refuse(proxy, 503);
    await working(plane, "after-the-refusals");

    const story = { aloneSurvives: alone.isRunning, standbySurvives: standby.isRunning };
    const before = await holderOf(plane, "standby");
    await holder.stop("SIGKILL");
    const after = await eventually(async () => {
      const now = await holderOf(plane, "standby");
      return now === before ? undefined : now;
    });
    await leader.stop();
    const logs = [...[alone, standby].map((program) => program.log()), ...leader.logs()];
    return { ...story, healthMeanwhile, ends: leader.ends, lostAfterMs, standbyTakesOver: after !== "", logs };
  } finally {
    await plane.stop();
  }
}

/** Restarts a program whenever it ends, as kubelet and systemd do. */
function supervise(start: () => Promise<RunningManager>) {
  const ends: string[] = [];
  const programs: RunningManager[] = [];
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      try {
        const program = await start();
        programs.push(program);
        const end = await program.ended;
        if (!isStopped) ends.push(end);
      } catch {
        // The program ended before it was ready: without the API server it cannot read its authentication
        // configuration.
      }
      await sleep(RESTART_MS);
    }
  })();
  return {
    ends,
    logs: () => programs.map((program) => program.log()),
    async stop() {
      isStopped = true;
      await programs.at(-1)?.stop("SIGKILL");
      await running;
    },
  };
}

/** Waits until both controllers have handled a new namespace. */
async function working(plane: ControlPlane, namespace: string): Promise<void> {
  await plane.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  for (const path of ["serviceaccounts/default", "configmaps/kube-root-ca.crt"]) {
    const url = `/api/v1/namespaces/${namespace}/${path}`;
    await eventually(async () => ((await plane.request("GET", url)).status === 200 ? true : undefined), 120_000);
  }
}

async function refuse(proxy: FaultProxy, status: number): Promise<void> {
  const injection = proxy.inject({}, { kind: "status", status, ...(status === 429 ? { retryAfterSeconds: 1 } : {}) });
  proxy.strike({ isWatch: true }, "reset");
  await sleep(REFUSALS_MS);
  injection.remove();
}

async function health(plane: ControlPlane, { url }: RunningManager): Promise<number> {
  return (await callHttps({ url: `${url}/healthz`, caPem: plane.pki.ca.certificatePem })).status;
}

function otherCertificate(plane: ControlPlane) {
  const now = Date.now();
  return issueCertificate({
    commonName: "renewed",
    ipAddresses: ["127.0.0.1"],
    usages: ["server"],
    issuer: plane.pki.ca,
    notBefore: now - 3_600_000,
    notAfter: now + 24 * 3_600_000,
  });
}

describeReal("an API server that goes away and comes back", () => {
  let go: Story;
  let ours: Story;
  beforeAll(async () => {
    [go, ours] = await Promise.all([live("go"), live("ours")]);
  }, LIMIT_MS);

  it("machinery/5.2 waits and recovers without an election, and reports itself healthy meanwhile", () => {
    expect(ours.aloneSurvives).toBe(true);
    expect(ours.healthMeanwhile).toEqual([200, 200]);
    expect(go.aloneSurvives).toBe(true);
    expect(go.healthMeanwhile).toEqual([200, 200]);
  });

  it("machinery/3.1.3 waits as a standby, and can still take over afterwards", () => {
    expect({ survives: ours.standbySurvives, takesOver: ours.standbyTakesOver }).toEqual({
      survives: go.standbySurvives,
      takesOver: go.standbyTakesOver,
    });
    expect(ours.standbyTakesOver).toBe(true);
  });

  it("machinery/3.1.8 as leader exits 1 when it cannot renew, as the Go program does, and recovers when restarted", () => {
    expect(new Set(ours.ends)).toEqual(new Set(["exit code 1"]));
    expect(new Set(go.ends)).toEqual(new Set(["exit code 1"]));
    // leader-election.test.ts checks the exact time under the virtual clock; here it is only printed.
    for (const [side, { lostAfterMs }] of Object.entries({ go, ours })) {
      process.stdout.write(`${side}: lost the lease ${(lostAfterMs / 1000).toFixed(1)} s after the API server\n`);
    }
  });

  it("logs each cause at most once per second, whatever its severity", () => {
    for (const [side, { logs }] of Object.entries({ go, ours })) {
      const { lines, causes, most } = logFigures(logs);
      process.stdout.write(`${side}: ${lines} lines of ${causes} causes, at most ${most} of one in a second\n`);
    }
    const often = ours.logs.flatMap(linesPerSecond).filter(({ count }) => count > 1);
    expect(often).toEqual([]);
  });
});
