// `steersman up` in a terminal: prints what runs and where, shows a live status line, and waits for a signal or a
// command.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { stderr, stdout } from "node:process";
import { noLog } from "#base/log.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import type { Manifest } from "#cluster/manifests.ts";
import { noStages, type Stages } from "#nodes/stages.ts";
import { callSite } from "#platform/system/call-site.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { shellWord } from "./shell-word.ts";
import { plural, StatusLine, statusText } from "./status-line.ts";
import { type RunningCluster, startCluster } from "./up.ts";
import { readUpFlags, type UpFlags, upHelp } from "./up-flags.ts";
import { kubernetesVersion, steersmanVersion } from "./version.ts";

/** Errors only. */
const ERRORS = -1;
/** If the terminal does not report its width. */
const DEFAULT_COLUMNS = 80;
const NOT_FOUND = 127;
const BY_SIGNAL = 128;

/** The exit code of the program. */
export async function up(args: readonly string[]): Promise<number> {
  const flags = readUpFlags(args);
  if (flags === undefined) {
    stdout.write(upHelp(stdout.columns ?? 0));
    return 0;
  }
  const { verbosity, command } = flags;
  const isTalking = !flags.isQuiet && command === undefined;
  let line: StatusLine | undefined;
  const log = createLogger({
    clock: systemClock,
    format: "text",
    verbosity: new LogVerbosity(verbosity === 0 ? ERRORS : verbosity),
    write: (text) => {
      if (line === undefined) stderr.write(text);
      else line.above(() => stderr.write(text));
    },
    pid: process.pid,
    caller: callSite,
  });
  const stopped = new Promise<"SIGINT" | "SIGTERM">((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve(signal));
  });
  const manifests = await manifestsOf(flags);
  const stages = await stagesOf(flags);
  // Like upstream's, the controllers log conflicts and retries of a healthy cluster as errors.
  const cluster = await startCluster({
    ...flags,
    stages,
    log,
    controllerLog: verbosity === 0 ? noLog : log,
    stopped,
  });
  let hasWelcomed = false;
  try {
    const stoppedBy = await Promise.race([stopped, cluster.apply(manifests).then(() => undefined)]);
    // A command that did not run has not succeeded.
    if (stoppedBy !== undefined) return command === undefined ? 0 : BY_SIGNAL + constants.signals[stoppedBy];
    if (isTalking) {
      stdout.write(welcome(cluster, flags, manifests.length));
      hasWelcomed = true;
    }
    if (command !== undefined) return await Promise.race([run(command, cluster), failureOf(cluster)]);
    const { clock, counts } = cluster;
    const time = () => (flags.speed === 1 ? undefined : { now: new Date(clock.now()), speed: flags.speed });
    if (isTalking && stdout.isTTY) {
      const write = (text: string): void => void stdout.write(text);
      line = new StatusLine({
        write,
        columns: () => stdout.columns || DEFAULT_COLUMNS,
        text: () => statusText(counts(), time()),
      });
    }
    await Promise.race([stopped, cluster.ended]);
    return 0;
  } finally {
    line?.[Symbol.dispose]();
    line = undefined;
    if (hasWelcomed) stdout.write("\nStopping.\n");
    await cluster.stop();
  }
}

async function manifestsOf({ apply }: UpFlags): Promise<readonly Manifest[]> {
  if (apply.length === 0) return [];
  const { readManifestFiles } = await import("./manifest-files.ts");
  return readManifestFiles(apply);
}

async function stagesOf({ stages }: UpFlags): Promise<Stages> {
  if (stages === "") return noStages;
  const { readStagesFile } = await import("./manifest-files.ts");
  return readStagesFile(stages);
}

/** Never resolves: if controllers end while a command runs, they have failed. */
async function failureOf(cluster: RunningCluster): Promise<never> {
  await cluster.ended;
  throw new Error("the controllers have ended");
}

/** Like a shell: 127 for an unknown program, 128 plus the signal's number after a signal. */
function run([file, ...args]: readonly [string, ...string[]], { kubeconfig }: RunningCluster): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: "inherit", env: { ...process.env, KUBECONFIG: kubeconfig } });
    // Ctrl-C also reaches the command; the cluster ends with it.
    process.on("SIGTERM", () => child.kill("SIGTERM"));
    child.on("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? "no such program" : error.message;
      stderr.write(`steersman: cannot run ${JSON.stringify(file)}: ${why}\n`);
      resolve(NOT_FOUND);
    });
    child.on("exit", (code, signal) => {
      resolve(code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function welcome(cluster: RunningCluster, { data, speed }: UpFlags, applied: number): string {
  const { url, kubeconfig, controllers, otherManager, counts } = cluster;
  const kept =
    data === undefined ? "Nothing is kept: the store is in memory." : `Everything is kept in ${data.directory}.`;
  const parts = `${plural(counts().nodes, "node")}, ${plural(controllers.length, "controller")}`;
  const notes = [
    ...(otherManager === undefined
      ? []
      : [`The controllers wait: ${otherManager} holds the Lease kube-system/kube-controller-manager.`]),
    ...(speed === 1 ? [] : [`Time in the cluster runs ${speed} times as fast.`]),
    ...(applied === 0 ? [] : [`${plural(applied, "object")} applied.`]),
  ];
  return `Steersman ${steersmanVersion} runs a Kubernetes ${kubernetesVersion} cluster at ${url}
Ready after ${Math.round(performance.now())} ms: ${parts}.
${notes.map((note) => `${note}\n`).join("")}
  export KUBECONFIG=${shellWord(kubeconfig)}

Try:
  kubectl get nodes
  kubectl create deployment web --image=nginx --replicas=3
  kubectl rollout status deployment/web
  kubectl get pods

Ctrl-C stops it. ${kept}
`;
}
