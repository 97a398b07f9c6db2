// Where the generators read from: the Go modules that tools/go pins. Nothing is copied but facts.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const goToolsDir: string = join(import.meta.dirname, "..", "go");

/** The directory of a Go module in the version that tools/go pins. */
export function moduleDir(module: string): string {
  return execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", module], { cwd: goToolsDir, encoding: "utf8" }).trim();
}

/** What a Go program under tools/go prints. */
export function runGoTool(name: string, ...args: string[]): string {
  // What upstream prints must not depend on where it is printed.
  const env = { ...process.env, TZ: "UTC" };
  return execFileSync("go", ["run", `./${name}`, ...args], {
    cwd: goToolsDir,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env,
  });
}

export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

export function filesIn(dir: string, pattern: RegExp): string[] {
  return readdirSync(dir)
    .filter((name) => pattern.test(name))
    .sort();
}
