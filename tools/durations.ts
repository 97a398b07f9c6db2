// Durations of the last run of each stage on this machine, kept beside the installed packages, and the formatting of
// durations.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const cacheFolder: string = join("node_modules", ".cache", "steersman");
const durationsFile = join(cacheFolder, "test-durations.json");

/** Milliseconds by stage name; empty before the first run. */
export function lastDurations(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(durationsFile, "utf8")) as Record<string, number>;
  } catch {
    return {};
  }
}

export function rememberDuration(stage: string, tookMs: number): void {
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(durationsFile, `${JSON.stringify({ ...lastDurations(), [stage]: Math.round(tookMs) })}\n`);
}

/** `45 s`, `3 min`, `2 min 5 s`. */
export function inMinutes(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return rest === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${rest} s`;
}
