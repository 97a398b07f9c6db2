// What the system lets this process have, as Linux tells it.

import { readFileSync } from "node:fs";

/** What Go's client library reports for "unlimited". */
const UNLIMITED = 1.8446744073709552e19;

/** The soft limit of that name in /proc/self/limits; NaN where there is no such file. */
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
