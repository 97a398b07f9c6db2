// Preloaded into our daemon (BUN_OPTIONS=--preload). SIGUSR2 writes a report to the file PROBE_FILE: objects on the
// heap by type, the contents of each informer's cache, and the longest stalls of the event loop since the last report.

import { renameSync, writeFileSync } from "node:fs";
import type { StoredObject } from "#api/resource.ts";
import { SharedIndexInformer } from "#informers/shared-informer.ts";
import { LruMap } from "#kit/lru.ts";

export interface ProbeReport {
  /** Live objects by type, after a collection. */
  readonly heap: Readonly<Record<string, number>>;
  /** Sets of messages in the event recorders: one per object and reason, at most 4,096 in each recorder. */
  readonly eventAggregates: number;
  /** For each running informer: its resource, and resource versions by namespace and name. */
  readonly caches: readonly { readonly path: string; readonly versions: Readonly<Record<string, string>> }[];
  /** How long work of this process kept the loop from its timers, in ms, longest first. */
  readonly stallsMs: readonly number[];
}

const file = process.env.PROBE_FILE ?? "";
const SAMPLE_MS = 20;
const STALLS_MAX = 20;
const informers = new Set<SharedIndexInformer<StoredObject>>();
let stallsMs: number[] = [];

const run = SharedIndexInformer.prototype.run;
SharedIndexInformer.prototype.run = async function (this: SharedIndexInformer<StoredObject>, signal) {
  informers.add(this);
  try {
    await run.call(this, signal);
  } finally {
    informers.delete(this);
  }
};

const recorders = new Map<LruMap<unknown>, Set<string>>();
const remember = LruMap.prototype.set;
LruMap.prototype.set = function (this: LruMap<unknown>, key, value) {
  const isAggregate = (value as { readonly messages?: unknown } | undefined)?.messages instanceof Set;
  if (isAggregate) recorders.getOrInsertComputed(this, () => new Set<string>()).add(key);
  remember.call(this, key, value);
};

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
let [lastMs, lastCpuMs] = [performance.now(), cpuMs()];

/** On a busy machine a late timer is mostly a wait for a processor, so the CPU time of the process counts. */
function sample(): void {
  const [nowMs, nowCpuMs] = [performance.now(), cpuMs()];
  const stallMs = Math.min(nowMs - lastMs - SAMPLE_MS, nowCpuMs - lastCpuMs);
  [lastMs, lastCpuMs] = [nowMs, nowCpuMs];
  if (stallMs <= (stallsMs.at(-1) ?? 0) && stallsMs.length >= STALLS_MAX) return;
  stallsMs = [...stallsMs, stallMs].sort((a, b) => b - a).slice(0, STALLS_MAX);
}
setInterval(sample, SAMPLE_MS).unref();

process.on("SIGUSR2", () => {
  const eventAggregates = [...recorders.values()].reduce((sum, keys) => sum + keys.size, 0);
  const report: ProbeReport = { heap: heapByType(), eventAggregates, caches: [...informers].map(cacheOf), stallsMs };
  // Renamed into place, so that no reader sees half of it.
  writeFileSync(`${file}.new`, JSON.stringify(report));
  renameSync(`${file}.new`, file);
  // The collection and this report do not count as stalls of the daemon.
  stallsMs = [];
  [lastMs, lastCpuMs] = [performance.now(), cpuMs()];
});

interface EngineModule {
  fullGC(): void;
  heapStats(): { readonly objectTypeCounts: Readonly<Record<string, number>> };
}

function heapByType(): Readonly<Record<string, number>> {
  const engine = require("bun:jsc") as EngineModule;
  engine.fullGC();
  return engine.heapStats().objectTypeCounts;
}

function cacheOf({ resource, store }: SharedIndexInformer<StoredObject>): ProbeReport["caches"][number] {
  const { group, version } = resource;
  const path = `${group === "" ? "/api" : `/apis/${group}`}/${version}/${resource.resource}`;
  const versions: Record<string, string> = {};
  for (const { metadata } of store.values()) {
    versions[`${metadata.namespace ?? ""}/${metadata.name}`] = metadata.resourceVersion;
  }
  return { path, versions };
}
