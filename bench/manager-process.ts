// The cost of a process, read from /proc: CPU time of all its threads, and the highest resident memory since the last
// reset.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Linux counts CPU time in hundredths of a second. */
const MS_PER_TICK = 10;
const KIB_PER_MIB = 1024;

export function cpuMs(pid: number): number {
  return cpuIn(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

/** CPU time by thread name, without ended threads. */
export function threadCpuMs(pid: number): Readonly<Record<string, number>> {
  const byName: Record<string, number> = {};
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    byName[name] = (byName[name] ?? 0) + cpuIn(stat);
  }
  return byName;
}

function cpuIn(stat: string): number {
  // The name in parentheses may contain any character. The fields after it start with the third.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0] = fields.slice(11, 13).map(Number);
  return (user + system) * MS_PER_TICK;
}

export function rssMib(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
  return { now: field("VmRSS") / KIB_PER_MIB, peak: field("VmHWM") / KIB_PER_MIB };
}

/** Resets the peak. */
export function resetPeakRss(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
