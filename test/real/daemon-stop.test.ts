// When controllers start, and how long the program waits for their end: the effect of the flags on a running process,
// compared with the Go program if it can be brought into the same state.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { RunningManager } from "./control-plane.ts";
import { daemonOf, ourDaemon, sharedControllers, sides } from "./daemon.ts";
import { kubeconfigText } from "./idle-daemon.ts";
import type { Command } from "./processes.ts";
import { describeReal, eventually, logged, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const DAY_MS = 86_400_000;
/** Timers and the clock of the log may differ by this much. */
const TICK_MS = 20;
const RELEASE = "--feature-gates=ControllerManagerReleaseLeaderElectionLockOnExit=true";

describeReal("the start and stop of controllers", () => {
  const plane = useControlPlane();

  const start = (command: Command, flags: readonly string[]): Promise<RunningManager> =>
    plane().startManager(command, { controllers: sharedControllers, flags: ["-v=4", ...flags] });

  it.each(sides)(
    "machinery/1.2.13, machinery/1.7.r9 starts each controller an interval or more after all are built: %s",
    async (side) => {
      const INTERVAL_MS = 1500;
      const program = await start(daemonOf(side), ["--controller-start-interval=1500ms"]);
      await logged(program, "Controller starting...", sharedControllers.length + 1);
      const log = program.log();
      const builtMs = timesOf(log, "controller is disabled").at(-1) ?? Number.NaN; // logged just before
      const starts = timesOf(log, "Controller starting...");
      expect(starts).toHaveLength(sharedControllers.length + 1);
      // A busy machine can only make it later.
      for (const startMs of starts) expect(elapsedMs(builtMs, startMs)).toBeGreaterThanOrEqual(INTERVAL_MS - TICK_MS);
      await program.stop("SIGKILL");
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.3.5, machinery/1.7.r31 waits for a controller that does not end as long as it is told to, and then exits 1",
    async () => {
      const [runtime] = ourDaemon;
      const stuck = [runtime, join(import.meta.dirname, "stuck-daemon.ts")] as const;
      const program = await start(stuck, [RELEASE, "--controller-shutdown-timeout=3s"]);
      await logged(program, "Controller starting...", sharedControllers.length + 1);
      expect(await program.stop("SIGTERM")).toBe("exit code 1");
      const log = program.log();
      const list = 'runningControllers=["replicaset-controller"]';
      expect(log).toContain(`"Still waiting for some controllers to terminate..." ${list}`);
      expect(log).toContain(`"Controller shutdown timeout reached" timeout="3s" ${list}`);
      expect(log).toContain('"command failed" err="controller shutdown timeout reached"');
      expect(log).not.toContain("All controllers terminated");
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.3.5 ends at once where the Go program waits for a plugin that hangs",
    async () => {
      const ending = async (side: "go" | "ours"): Promise<{ how: string; log: string }> => {
        const hang = join(plane().directory, `hang-${side}`);
        const kubeconfig = await hangingKubeconfig(hang);
        const flags = [RELEASE, "--controller-shutdown-timeout=2s", "--use-service-account-credentials=false"];
        const program = await start(daemonOf(side), [...flags, `--kubeconfig=${kubeconfig}`]);
        await logged(program, "Controller starting...", sharedControllers.length + 1);
        writeFileSync(hang, "");
        // Creates work whose requests need new credentials; each namespace causes two.
        let count = 0;
        await eventually(async () => {
          await plane().request("POST", "/api/v1/namespaces", { metadata: { name: `work-${side}-${++count}` } });
          return (await isWorking(program)) ? true : undefined;
        });
        const how = await program.stop("SIGTERM");
        return { how, log: program.log() };
      };
      const [go, ours] = [await ending("go"), await ending("ours")];
      expect([go.how, ours.how]).toEqual(["exit code 1", "exit code 0"]);
      expect(go.log).toContain("Controller shutdown timeout reached");
      expect(ours.log).toContain("All controllers terminated");
    },
    LIMIT_MS,
  );

  /** Whether the publisher has worked on one key for more than a second. */
  async function isWorking(program: RunningManager): Promise<boolean> {
    const text = await program.page("/metrics");
    const value = /^workqueue_unfinished_work_seconds\{name="root_ca_cert_publisher"\} (.*)$/m.exec(text)?.[1];
    return Number(value) > 1;
  }

  /** Credentials that last for two seconds, from a program that hangs as soon as the file exists. */
  async function hangingKubeconfig(hang: string): Promise<string> {
    const plugin = `${hang}.sh`;
    const token = await plane().tokenFor("kube-system", "plugin-user");
    await plane().kubectl([
      ...["create", "clusterrolebinding", `plugin-${Math.random()}`],
      ...["--clusterrole=cluster-admin", "--serviceaccount=kube-system:plugin-user"],
    ]);
    const credential = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"${token}"`;
    writeFileSync(
      plugin,
      `#!/bin/sh
if [ -e ${hang} ]; then trap '' TERM; sleep 30; fi
echo '${credential},"expirationTimestamp":"'$(date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%SZ)'"}}'
`,
    );
    chmodSync(plugin, 0o755);
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: plugin, interactiveMode: "Never" };
    const kubeconfig = `${hang}.kubeconfig`;
    const cluster = { "certificate-authority": plane().pki.file("ca.crt") };
    writeFileSync(kubeconfig, kubeconfigText(plane().server, { exec }, cluster));
    return kubeconfig;
  }
});

/** Midnight may lie between them. */
function elapsedMs(fromMs: number, toMs: number): number {
  return (toMs - fromMs + DAY_MS) % DAY_MS;
}

/** The times of log lines with this text, in milliseconds of their day. */
function timesOf(log: string, text: string): readonly number[] {
  return log
    .split("\n")
    .filter((line) => line.includes(text))
    .map((line) => {
      const [, hours, minutes, seconds] = /^[A-Z]\d{4} (\d\d):(\d\d):(\d\d\.\d+)/.exec(line) ?? [];
      return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
    });
}
