// Measures the daemon as a process against the Go program with the same flags: from its start until it leads and is
// synced, then memory and CPU while nothing happens.
//   bun bench/daemon.ts [--starts=7] [--idle-rounds=3] [--idle-seconds=60] [--quick] [--only=go|ours] [--source]
// --quick writes nothing. --source runs ours from its sources instead of the compiled file. --report=<file> only writes
// the page.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { goDaemon, ourDaemon, sharedControllers } from "#test/real/daemon.ts";
import { writesOf } from "#test/real/leadership.ts";
import { eventually } from "#test/real/suite.ts";
import { kubernetesVersion } from "#tools/control-plane-binaries.ts";
import { type DaemonResults, daemonSection, type Side, withSection } from "./daemon-results.ts";

const repository = join(import.meta.dirname, "..");
const page = join(repository, "docs", "benchmarks.md");
const SETTLE_MS = 15_000;
const option = (name: string): string | undefined =>
  argv.findLast((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const isQuick = argv.includes("--quick");
const starts = Number(option("starts") ?? (isQuick ? 2 : 7));
const idleRounds = Number(option("idle-rounds") ?? (isQuick ? 1 : 3));
const idleSeconds = Number(option("idle-seconds") ?? (isQuick ? 20 : 60));
const sides = (["go", "ours"] as const).filter((side) => option("only") === undefined || option("only") === side);

const compiled = join(repository, "dist", "kube-controller-manager");
function commandOf(side: Side): readonly [string, ...string[]] {
  if (side === "go") return goDaemon();
  if (argv.includes("--source")) return ourDaemon;
  if (!existsSync(compiled)) throw new Error("make build first, or --source");
  return [compiled];
}

let runs = 0;
async function start(plane: ControlPlane, side: Side): Promise<{ lease: string; program: RunningManager }> {
  const lease = `bench-${++runs}`;
  const flags = ["--leader-elect=true", `--leader-elect-resource-name=${lease}`];
  return { lease, program: await plane.startManager(commandOf(side), { controllers: sharedControllers, flags }) };
}

/**
 * Every controller has work before the program starts. The program is synced when all controllers have started on it.
 */
async function measureStart(plane: ControlPlane, side: Side): Promise<{ leadMs: number; startMs: number }> {
  const namespace = `start-${runs + 1}`;
  await plane.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  for (const [path, apiVersion, kind] of [
    ["apis/apps/v1", "apps/v1", "ReplicaSet"],
    ["api/v1", "v1", "ReplicationController"],
  ] as const) {
    const labels = { app: kind };
    const selector = kind === "ReplicaSet" ? { matchLabels: labels } : labels;
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } };
    await plane.request("POST", `/${path}/namespaces/${namespace}/${kind.toLowerCase()}s`, {
      apiVersion,
      kind,
      metadata: { name: "web" },
      spec: { replicas: 1, selector, template },
    });
  }
  await sleep(500);
  const mark = plane.audit.mark();
  const beganAt = Date.now();
  const { lease, program } = await start(plane, side);
  const deeds = ["serviceaccounts", "configmaps", "replicasets", "replicationcontrollers"];
  const sinceStart = (timestamp: string): number => Date.parse(timestamp) - beganAt;
  const done = await eventually(() => {
    const writes = writesOf(plane.audit.since(mark)).filter(({ objectRef }) => objectRef?.namespace === namespace);
    const first = deeds.map((resource) => writes.find(({ objectRef }) => objectRef?.resource === resource));
    return first.every((write) => write !== undefined) ? first : undefined;
  });
  const acquired = plane.audit
    .since(mark)
    .find(
      ({ verb, requestURI, responseObject }) =>
        verb === "create" && /leases/.test(requestURI) && isOf(responseObject, lease),
    );
  await program.stop("SIGKILL");
  return {
    leadMs: sinceStart(acquired?.stageTimestamp ?? ""),
    startMs: Math.max(...done.map((write) => sinceStart(write?.requestReceivedTimestamp ?? ""))),
  };
}

const isOf = (object: unknown, name: string): boolean =>
  (object as { metadata?: { name?: string } } | undefined)?.metadata?.name === name;

/**
 * Both programs run at once, each on a separate control plane, so that the load of the machine is the same for both.
 */
async function measureIdle(side: Side): Promise<{ rssMib: number; privateMib: number; cpuMs: number }> {
  const plane = await startControlPlane();
  try {
    const { program } = await start(plane, side);
    await sleep(SETTLE_MS);
    const before = cpuMs(program.pid);
    await sleep(idleSeconds * 1000);
    return {
      rssMib: memoryMib(program.pid, "VmRSS"),
      privateMib: memoryMib(program.pid, "RssAnon"),
      cpuMs: (cpuMs(program.pid) - before) * (60 / idleSeconds),
    };
  } finally {
    await plane.stop();
  }
}

/** The CPU time of all threads, including ended ones, to a hundredth of a second. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10;
}

function memoryMib(pid: number, field: "VmRSS" | "RssAnon"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024;
}

async function measureAll(): Promise<DaemonResults> {
  const loadBefore = loadavg()[0] ?? Number.NaN;
  const bySide = <T>(): Record<Side, T[]> => ({ go: [], ours: [] });
  const [startMs, leadMs] = [bySide<number>(), bySide<number>()];
  const [idleRssMib, idlePrivateMib, idleCpuMs] = [bySide<number>(), bySide<number>(), bySide<number>()];
  const plane = await startControlPlane();
  for (let round = 1; round <= starts; round++) {
    for (const side of sides) {
      const took = await measureStart(plane, side);
      startMs[side].push(took.startMs);
      leadMs[side].push(took.leadMs);
      stdout.write(`start ${round}, ${side}: leading ${took.leadMs} ms, synced ${took.startMs} ms\n`);
    }
  }
  await plane.stop();
  for (let round = 1; round <= idleRounds; round++) {
    await Promise.all(
      sides.map(async (side) => {
        const cost = await measureIdle(side);
        idleRssMib[side].push(cost.rssMib);
        idlePrivateMib[side].push(cost.privateMib);
        idleCpuMs[side].push(cost.cpuMs);
        stdout.write(`idle ${round}, ${side}: ${cost.rssMib.toFixed(1)} MiB, ${cost.cpuMs.toFixed(0)} ms/min\n`);
      }),
    );
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  const versions = { kubernetes: kubernetesVersion, bun: process.versions.bun ?? "" };
  const at = new Date().toISOString().slice(0, 16).replace("T", " ");
  const controllers = sharedControllers;
  const measured = { startMs, leadMs, idleRssMib, idlePrivateMib, idleCpuMs };
  return { at, machine, versions, loadBefore, controllers, idleSeconds, ...measured };
}

const reportOnly = option("report");
const results =
  reportOnly === undefined ? await measureAll() : (JSON.parse(readFileSync(reportOnly, "utf8")) as DaemonResults);
const section = daemonSection(results);
stdout.write(`\n${section}`);
const isWhole = !isQuick && sides.length === 2;
if (reportOnly === undefined && isWhole) {
  mkdirSync(join(repository, "bench", "results"), { recursive: true });
  const file = join(repository, "bench", "results", `daemon-${results.at.slice(0, 10)}.json`);
  writeFileSync(file, `${JSON.stringify(results, undefined, 1)}\n`);
}
if (reportOnly !== undefined || isWhole) {
  writeFileSync(page, withSection(existsSync(page) ? readFileSync(page, "utf8") : "", section));
}
process.exit(0);
