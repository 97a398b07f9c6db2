// `make long-run MINUTES=30`: runs our daemon with all its controllers on a populated cluster, under churn, while
// watches are cut, connections refused and the API server killed. Counts the live objects of the process after the
// warm-up and at the end, and compares its caches with a fresh LIST.

import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import type { RunningManager } from "#test/real/control-plane.ts";
import { ourDaemon } from "#test/real/daemon.ts";
import { eventually } from "#test/real/suite.ts";
import { type PopulatedCluster, startCluster } from "#test/swap/populated-cluster.ts";
import type { ProbeReport } from "./probe.ts";
import { type Counts, problemsOf, rssGrowth } from "./verdict.ts";

const WARM_UP_CYCLES = 3;
const BETWEEN_FAULTS_MS = 2000;
const CACHE_LOOKS_MS = 30_000;
/**
 * The API server may be away for half a minute without loss of the lease, which is renewed every second, or of a node.
 */
const flags = [
  "--node-monitor-grace-period=2m",
  "--leader-elect-lease-duration=60s",
  "--leader-elect-renew-deadline=40s",
  "--leader-elect-retry-period=1s",
];

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Subject extends PopulatedCluster {
  readonly daemon: RunningManager;
  readonly probeFile: string;
}

async function start(): Promise<Subject> {
  const cluster = await startCluster(flags);
  const probeFile = join(cluster.plane.directory, "probe.json");
  const preload = `BUN_OPTIONS=--preload=${join(import.meta.dirname, "probe.ts")}`;
  const daemon = await cluster.start(["/usr/bin/env", preload, `PROBE_FILE=${probeFile}`, ...ourDaemon]);
  return { ...cluster, daemon, probeFile };
}

/** One round of work, with one kind of fault in the middle. */
async function cycle({ plane, proxy, work, settled, daemon }: Subject, number: number): Promise<string> {
  await work.begin(number);
  await work.prepare(number + 1);
  const faults: readonly { readonly name: string; strike(): Promise<unknown> }[] = [
    { name: "watches reset", strike: async () => proxy.strike({ isWatch: true }, "reset") },
    {
      name: "API server killed",
      strike: async () => {
        await plane.killApiServer();
        await plane.reviveApiServer();
      },
    },
    { name: "watches cut in the middle of a line", strike: async () => proxy.strike({ isWatch: true }, "cut") },
    {
      name: "connections refused",
      strike: async () => {
        await proxy.down();
        await sleep(BETWEEN_FAULTS_MS);
        await proxy.up();
      },
    },
  ];
  const fault = faults[number % faults.length];
  for (const _ of [1, 2]) {
    await sleep(BETWEEN_FAULTS_MS);
    await fault?.strike();
  }
  await work.finish(number);
  await settled(daemon);
  return fault?.name ?? "";
}

async function report({ daemon, probeFile }: Subject): Promise<ProbeReport> {
  rmSync(probeFile, { force: true });
  process.kill(daemon.pid, "SIGUSR2");
  await eventually(() => existsSync(probeFile) || undefined);
  return JSON.parse(readFileSync(probeFile, "utf8")) as ProbeReport;
}

async function count(subject: Subject, { heap, eventAggregates, caches }: ProbeReport): Promise<Counts> {
  const page = await subject.daemon.page("/metrics");
  const depths = [...page.matchAll(/^workqueue_depth\{.*\} (\d+)/gm)].map(([, depth]) => Number(depth));
  const { pid } = subject.daemon;
  return {
    rssMegabytes: residentMegabytes(pid),
    cached: caches.reduce((sum, { versions }) => sum + Object.keys(versions).length, 0),
    sockets: socketsOf(pid),
    timers: heap.Timeout ?? 0,
    maps: heap.Map ?? 0,
    sets: (heap.Set ?? 0) - eventAggregates,
    eventAggregates,
    promises: heap.Promise ?? 0,
    queued: depths.reduce((sum, depth) => sum + depth, 0),
  };
}

function residentMegabytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)).startsWith("socket:");
    } catch {
      return false; // closed in the meantime
    }
  }).length;
}

/** The last differences; empty as soon as caches and lists are equal once. */
async function cacheDifferences(subject: Subject): Promise<readonly string[]> {
  const deadline = performance.now() + CACHE_LOOKS_MS;
  for (;;) {
    const { caches } = await report(subject);
    const differences: string[] = [];
    for (const [path, same] of Map.groupBy(caches, (cache) => cache.path)) {
      const listed = await listedVersions(subject, path);
      const largest = same.toSorted((a, b) => Object.keys(b.versions).length - Object.keys(a.versions).length);
      for (const [index, { versions }] of largest.entries()) {
        // In addition to the cache of the whole resource, there may be caches of a selection.
        differences.push(...differencesOf(path, versions, listed, index === 0));
      }
    }
    if (differences.length === 0 || performance.now() > deadline) {
      say(`caches: ${caches.length} of ${new Set(caches.map(({ path }) => path)).size} resources compared`);
      return differences;
    }
    await sleep(500);
  }
}

async function listedVersions({ plane }: Subject, path: string): Promise<ReadonlyMap<string, string>> {
  const { items } = JSON.parse((await plane.request("GET", path)).text) as {
    items: { metadata: { name: string; namespace?: string; resourceVersion: string } }[];
  };
  return new Map(
    items.map(({ metadata }) => [`${metadata.namespace ?? ""}/${metadata.name}`, metadata.resourceVersion]),
  );
}

function differencesOf(
  path: string,
  cached: Readonly<Record<string, string>>,
  listed: ReadonlyMap<string, string>,
  isWhole: boolean,
): readonly string[] {
  const wrong = Object.entries(cached).filter(([name, version]) => listed.get(name) !== version && !isRenewed(name));
  const missing = isWhole ? [...listed.keys()].filter((name) => cached[name] === undefined) : [];
  return [
    ...wrong.map(([name, version]) => `${path} ${name}: cached at ${version}, listed at ${listed.get(name)}`),
    ...missing.map((name) => `${path} ${name}: not cached`),
  ];
}

/** The daemon and the API server renew these leases between two reads. */
function isRenewed(name: string): boolean {
  return /^kube-system\/(?:kube-controller-manager|apiserver-\w+)$/.test(name);
}

async function leaseTransitions({ plane }: Subject): Promise<number> {
  const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";
  const { spec } = JSON.parse((await plane.request("GET", path)).text) as { spec: { leaseTransitions?: number } };
  return spec.leaseTransitions ?? 0;
}

async function main(minutes: number): Promise<number> {
  const subject = await start();
  try {
    const { work, populate, settled, daemon, players } = subject;
    await populate();
    await work.prepare(0);
    await settled(daemon);
    let number = 0;
    for (; number < WARM_UP_CYCLES; number++) say(`warm-up ${number + 1}: ${await cycle(subject, number)}`);
    const first = await report(subject);
    const startCounts = await count(subject, first);
    const stallsMs: number[] = [];
    const rssMegabytes: number[] = [];
    const endsMs = performance.now() + minutes * 60_000;
    do {
      const fault = await cycle(subject, number++);
      rssMegabytes.push(residentMegabytes(daemon.pid));
      say(`cycle ${number - WARM_UP_CYCLES}: ${fault}; ${rssMegabytes.at(-1)} MB`);
    } while (performance.now() < endsMs);
    const last = await report(subject);
    stallsMs.push(...last.stallsMs);
    const endCounts = await count(subject, last);
    // Heartbeats of the nodes would change their leases between two reads.
    await players.stop();
    const run = {
      start: startCounts,
      end: endCounts,
      rssMegabytes,
      stallsMs,
      cacheDifferences: await cacheDifferences(subject),
      leaseTransitions: await leaseTransitions(subject),
    };
    say(`after the warm-up: ${JSON.stringify(run.start)}`);
    say(`at the end:        ${JSON.stringify(run.end)}`);
    say(`resident memory: ${rssMegabytes.join(" ")} MB; growth ${(rssGrowth(rssMegabytes) * 100).toFixed(1)} %`);
    say(
      `load average ${loadavg()
        .map((load) => load.toFixed(1))
        .join(" ")}; longest stalls: ${stallsMs
        .slice(0, 5)
        .map((ms) => ms.toFixed(0))
        .join(" ")} ms`,
    );
    const problems = problemsOf(run);
    for (const problem of problems.slice(0, 20)) say(`PROBLEM: ${problem}`);
    say(problems.length === 0 ? `${number} cycles: level` : `${number} cycles: ${problems.length} problems`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await subject.stop();
  }
}

process.exit(await main(Number(process.argv[2] || 30)));
