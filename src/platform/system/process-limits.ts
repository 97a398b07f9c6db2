// Limits of this process, from Linux's /proc.

import { readFileSync } from "node:fs";

/** The value that Go's client library reports for "unlimited". */
const UNLIMITED = 1.8446744073709552e19;

/** The soft limit with this name in /proc/self/limits; NaN without such a file. */
export function processLimit(name: "Max address space" | "Max open files"): number {
  let text: string;
  try {
    text = readFileSync("/proc/self/limits", "utf8");
  } catch {
    return Number.NaN;
  }
  const value = new RegExp(`^${name}\\s+(\\S+)`, "m").exec(text)?.[1];
  return value === "unlimited" ? UNLIMITED : Number(value);
}
