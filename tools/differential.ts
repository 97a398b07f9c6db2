// `make differential`: runs test/differential/main.ts, which compares our controllers with the Go manager's on a
// real control plane. Arguments are passed on: names of scenarios, --json=<file> for the normalised runs. A comparison
// that hangs is killed, and what it started ends with it.

import { spawnSync } from "node:child_process";
import { missingPrograms } from "./control-plane-binaries.ts";

/** Many times what it takes. */
const limitMs = 20 * 60_000;

function run(script: string, args: readonly string[], timeout?: number): number {
  const options = { stdio: "inherit", timeout, killSignal: "SIGKILL" } as const;
  return spawnSync(process.execPath, [script, ...args], options).status ?? 1;
}

const isReady = missingPrograms().length === 0 || run("tools/real-control-plane.ts", []) === 0;
process.exitCode = isReady ? run("test/differential/main.ts", process.argv.slice(2), limitMs) : 1;
