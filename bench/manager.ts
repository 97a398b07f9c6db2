// Measures our controllers against the Go manager's: alternately, each run on a new control plane.
//   bun bench/manager.ts [--whole [--piece=<name>]] [--quick] [--rounds=5] [--pods=1000,5000] [--out=<file>] [--built]
// --whole: all controllers, and work for all families of them; otherwise replicas only. --piece: only that piece of the
// work; its runs replace the older ones in the results of the day.
// Growth: --whole --only=ours --piece=pods --pods=1000,2000,4000,8000; with [--unrelated=20000] pods of another
// namespace.
// For diagnosis: [--only=go|ours] [--ours-flag=<flag>] [--ours-runtime="NAME=value …"] [--profile=<folder>]
// [--threads] [--calls=<folder>], which gets the audit events of each workload.
// --quick: one round with little work. It writes nothing unless --out names a file, and then not the page.
// --report=<file>: only the page, from that file.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { eventually } from "#test/real/suite.ts";
import { kubernetesVersion } from "#tools/control-plane-binaries.ts";
import { cpuMs, resetPeakRss, rssMib, threadCpuMs } from "./manager-process.ts";
import {
  type ManagerName,
  printSection,
  type Results,
  type Run,
  type Sample,
  type Suite,
  withRuns,
  withSection,
} from "./manager-results.ts";
import { createScaled, idle, manySmall, scaleOne, type Workload, type WorkloadStage } from "./manager-workloads.ts";
import { adminClient, quiet, sleep } from "./plane.ts";
import {
  createUnrelated,
  type Piece,
  plantCanaries,
  quickSizes,
  untilCanariesDone,
  wholePieces,
  wholeSizes,
} from "./whole-workloads.ts";

const isWholeManager = argv.includes("--whole");
const suite: Suite = isWholeManager
  ? {
      name: "whole-manager",
      title: "The whole manager at work",
      setting: "all controllers that are on by default,",
      rssTarget: 0.7,
    }
  : {
      name: "manager",
      title: "The controllers at work",
      setting: "both with replicaset-controller and replicationcontroller-controller only,",
      rssTarget: 0.5,
    };
const controllers = isWholeManager ? ["*"] : ["replicaset-controller", "replicationcontroller-controller"];
const flags = ["--kube-api-qps=1000", "--kube-api-burst=2000"];
const repository = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "steersman-bench-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const loopDelayFile = join(scratch, "loop-delay.json");
const namespace = "bench";
/** Keeps the API server's own work after its start out of the first workload. */
const WARM_UP_MS = 5_000;
const QUIET_MS = 700;

const option = (name: string): string | undefined =>
  argv.findLast((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const isQuick = argv.includes("--quick");
const rounds = Number(option("rounds") ?? (isQuick ? 1 : 5));
const podCounts = (option("pods") ?? (isQuick ? "500" : "1000,5000")).split(",").map(Number);
/** The first idle period includes the collection of the garbage that the work left; the later ones do not. */
const replicas: Piece = {
  name: "replicas",
  prepare: (stage) => createScaled(stage, podCounts),
  workloads: [idle("before"), ...podCounts.flatMap(scaleOne), manySmall, idle("after"), idle("later")],
};
const allPieces = isWholeManager
  ? wholePieces({
      ...(isQuick ? quickSizes : wholeSizes),
      ...(option("pods") === undefined ? {} : { pods: podCounts }),
    })
  : [replicas];
/** "pods" selects pods-1000 and pods-5000. */
const isAsked = (name: string, asked: string): boolean =>
  name === asked || name === `${asked}-${Number.parseInt(name.slice(asked.length + 1), 10)}`;
const pieces = allPieces.filter(({ name }) => isAsked(name, option("piece") ?? name));
const unrelated = Number(option("unrelated") ?? 0);
if (pieces.length === 0) throw new Error(`--piece is one of ${allPieces.map(({ name }) => name).join(", ")}`);

/** Logs who makes which request, without bodies, so that the log costs the server little. */
const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived", "ResponseStarted"],
  rules: [
    { level: "Metadata", userGroups: ["system:serviceaccounts:kube-system"] },
    { level: "Metadata", users: ["system:kube-controller-manager"] },
    { level: "None" },
  ],
};

async function measureRun(manager: ManagerName, round: number, piece: Piece): Promise<Run> {
  const policyFile = join(scratch, "audit-policy.json");
  writeFileSync(policyFile, JSON.stringify(auditPolicy));
  const plane = await startControlPlane({
    // The default range has 254 addresses.
    apiServerFlags: [`--audit-policy-file=${policyFile}`, "--service-cluster-ip-range=10.96.0.0/12"],
  });
  try {
    const stage: WorkloadStage = { client: await adminClient(plane), namespace, signal: new AbortController().signal };
    await plane.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    // Pods need the account before a manager creates it.
    const account = { metadata: { name: "default" } };
    await plane.request("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, account);
    await piece.fill?.(stage);
    if (unrelated > 0) await createUnrelated(stage, unrelated);
    await sleep(WARM_UP_MS);
    const load = loadavg()[0] ?? Number.NaN;
    const samples: Sample[] = [];
    if (piece.start !== undefined) samples.push(await measureStart(piece.start, stage, plane, manager));
    if (piece.workloads.length === 0) return { manager, round, load, samples };
    const program = await start(manager, plane, true);
    if (isWholeManager) await untilSynced(stage, plane);
    await piece.prepare?.(stage);
    await quiet(plane, QUIET_MS);
    for (const workload of piece.workloads) samples.push(await measure(workload, stage, plane, program, manager));
    if (argv.includes("--threads")) stdout.write(`  CPU ms by thread: ${JSON.stringify(threadCpuMs(program.pid))}\n`);
    await program.stop();
    return { manager, round, load, samples };
  } finally {
    await plane.stop();
  }
}

async function untilSynced(stage: WorkloadStage, plane: ControlPlane): Promise<void> {
  await plantCanaries(stage);
  await untilCanariesDone(stage);
  await quiet(plane, QUIET_MS);
}

/** Measured from the start of the process: its work exists before. */
async function measureStart(
  name: string,
  stage: WorkloadStage,
  plane: ControlPlane,
  manager: ManagerName,
): Promise<Sample> {
  if (manager === "ours" && option("profile") === undefined) ourProgram();
  await plantCanaries(stage);
  const mark = plane.audit.mark();
  const serverBefore = cpuMs(plane.apiServer.pid);
  const begin = performance.now();
  const program = await start(manager, plane, false);
  await untilCanariesDone(stage);
  const wallMs = performance.now() - begin;
  await quiet(plane, QUIET_MS);
  const sample: Sample = {
    workload: name,
    wallMs,
    cpuMs: cpuMs(program.pid),
    peakRssMib: rssMib(program.pid).peak,
    apiServerCpuMs: cpuMs(plane.apiServer.pid) - serverBefore,
    ...callsSince(plane, mark, `${manager} ${name}`),
  };
  await program.stop();
  tell(sample);
  return sample;
}

const ourSource = join(repository, "src", "cmd", "kube-controller-manager.ts");

const compiled = join(repository, "dist", "kube-controller-manager");
let isBuilt = argv.includes("--built");

/** Compiles our program as `make build` does; with --built, uses the existing file. */
function ourProgram(): string {
  if (isBuilt) return compiled;
  const { status, stderr } = spawnSync(process.execPath, ["tools/build.ts"], { encoding: "utf8", cwd: repository });
  if (status !== 0) throw new Error(`our manager cannot be compiled: ${stderr}`);
  isBuilt = true;
  return compiled;
}

function start(manager: ManagerName, plane: ControlPlane, canMeasureLoop: boolean): Promise<RunningManager> {
  if (manager === "go") return plane.startGoManager({ controllers, flags });
  const extra = argv.flatMap((argument) => (argument.startsWith("--ours-flag=") ? [argument.slice(12)] : []));
  const profile = option("profile");
  const preload = join(import.meta.dirname, "manager-loop-delay.ts");
  const runtime = [
    ...(canMeasureLoop ? [`BUN_OPTIONS=--preload=${preload}`, `LOOP_DELAY_FILE=${loopDelayFile}`] : []),
    ...(option("ours-runtime")?.split(" ") ?? []),
  ];
  const program = profile === undefined ? [ourProgram()] : profiled(profile);
  const command: [string, ...string[]] = ["/usr/bin/env", ...runtime, ...program];
  return plane.startManager(command, { controllers, flags: [...flags, ...extra] });
}

/** The profilers only work on sources. */
function profiled(folder: string): readonly string[] {
  const cpu = ["--cpu-prof", `--cpu-prof-dir=${folder}`];
  const heap = ["--heap-prof-md", `--heap-prof-dir=${folder}`];
  return [process.execPath, `--preload=${join(import.meta.dirname, "manager-exit.ts")}`, ...cpu, ...heap, ourSource];
}

async function measure(
  workload: Workload,
  stage: WorkloadStage,
  plane: ControlPlane,
  program: RunningManager,
  manager: ManagerName,
): Promise<Sample> {
  const isIdle = workload.name.startsWith("idle");
  const watchesLoop = manager === "ours" && !isIdle;
  rmSync(loopDelayFile, { force: true });
  if (watchesLoop) process.kill(program.pid, "SIGUSR2");
  const mark = plane.audit.mark();
  const before = { cpu: cpuMs(program.pid), server: cpuMs(plane.apiServer.pid) };
  resetPeakRss(program.pid);
  const begin = performance.now();
  await workload.run(stage);
  const wallMs = performance.now() - begin;
  // Events and the last statuses come after the workload's end condition; their cost belongs to the workload.
  if (!isIdle) await quiet(plane, QUIET_MS);
  const sample: Sample = {
    workload: workload.name,
    wallMs,
    cpuMs: cpuMs(program.pid) - before.cpu,
    peakRssMib: rssMib(program.pid).peak,
    apiServerCpuMs: cpuMs(plane.apiServer.pid) - before.server,
    ...callsSince(plane, mark, `${manager} ${workload.name}`, isIdle ? () => true : isOfWork),
    ...(watchesLoop ? { loopDelayP99Ms: await loopDelay(program.pid) } : {}),
  };
  tell(sample);
  return sample;
}

/** Both managers repeat discovery every 30 s: whether that falls into a workload is chance. */
const isOfWork = ({ requestURI }: AuditEvent): boolean => !/^\/apis?(\?|$)/.test(requestURI);

function callsSince(
  plane: ControlPlane,
  mark: number,
  title: string,
  isCounted: (call: AuditEvent) => boolean = () => true,
): Pick<Sample, "apiCalls" | "apiCallsBy"> {
  const calls = plane.audit.since(mark).filter((call) => call.stage === "ResponseComplete" && isCounted(call));
  const folder = option("calls");
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${title}, ${Date.now()}.json`), calls.map((call) => JSON.stringify(call)).join("\n"));
  }
  const apiCallsBy: Record<string, number> = {};
  for (const { verb, objectRef, responseStatus } of calls) {
    const outcome = responseStatus?.code === 409 ? "refused for a conflict" : undefined;
    const parts = [verb, objectRef?.resource, objectRef?.subresource, outcome];
    const what = parts.filter((part) => part !== undefined).join(" ");
    apiCallsBy[what] = (apiCallsBy[what] ?? 0) + 1;
  }
  return { apiCalls: calls.length, apiCallsBy };
}

function tell(sample: Sample): void {
  const numbers = [
    `${sample.wallMs.toFixed(0)} ms`,
    `CPU ${sample.cpuMs} ms`,
    `peak ${sample.peakRssMib.toFixed(0)} MiB`,
    `server CPU ${sample.apiServerCpuMs} ms`,
    `${sample.apiCalls} calls`,
    ...(sample.loopDelayP99Ms === undefined ? [] : [`loop p99 ${sample.loopDelayP99Ms.toFixed(1)} ms`]),
  ];
  stdout.write(`  ${sample.workload}: ${numbers.join(", ")}\n`);
}

async function loopDelay(pid: number): Promise<number> {
  process.kill(pid, "SIGUSR2");
  await eventually(() => existsSync(loopDelayFile) || undefined);
  return (JSON.parse(readFileSync(loopDelayFile, "utf8")) as { p99Ms: number }).p99Ms;
}

async function measureAll(): Promise<Results> {
  const only = option("only");
  const [processor] = cpus();
  const machine = `${cpus().length} × ${processor?.model ?? "?"}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  const loadBefore = loadavg()[0] ?? Number.NaN;
  const runs: Run[] = [];
  for (const piece of pieces) {
    for (let round = 1; round <= rounds; round++) {
      for (const manager of ["go", "ours"] as const) {
        if (only !== undefined && only !== manager) continue;
        stdout.write(`${piece.name}, round ${round}, ${manager}\n`);
        runs.push(await measureRun(manager, round, piece));
      }
    }
  }
  const versions = { kubernetes: kubernetesVersion, bun: process.versions.bun ?? "" };
  return { at: new Date().toISOString().slice(0, 16).replace("T", " "), machine, versions, loadBefore, runs };
}

const readResults = (file: string): Results => JSON.parse(readFileSync(file, "utf8")) as Results;
const reportOnly = option("report");
const measured = reportOnly === undefined ? await measureAll() : readResults(reportOnly);
const isFull = !isQuick && unrelated === 0 && option("only") === undefined && option("pods") === undefined;
const file = option("out") ?? join(repository, "bench", "results", `${suite.name}-${measured.at.slice(0, 10)}.json`);
const isAddition = isFull && option("piece") !== undefined && existsSync(file);
const order = allPieces.flatMap(({ start: first, workloads }) => [first, ...workloads.map(({ name }) => name)]);
const results = isAddition ? withRuns(readResults(file), measured, order) : measured;
const section = printSection(results, suite);
stdout.write(`\n${section}`);
if (reportOnly === undefined && (isFull || option("out") !== undefined)) {
  mkdirSync(join(repository, "bench", "results"), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, undefined, 1)}\n`);
}
if (reportOnly !== undefined || (isFull && option("out") === undefined)) {
  const page = join(repository, "docs", "benchmarks.md");
  writeFileSync(page, withSection(existsSync(page) ? readFileSync(page, "utf8") : "", section, suite));
}
process.exit(0);
