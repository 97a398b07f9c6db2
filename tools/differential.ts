// `make differential`: runs test/differential/main.ts, which compares our controllers with the Go manager's on a
// real control plane. Arguments are passed on: names of scenarios, --json=<file> for the normalised runs.

import { spawnSync } from "node:child_process";
import { missingPrograms } from "./control-plane-binaries.ts";

function run(script: string, args: readonly string[]): number {
  return spawnSync(process.execPath, [script, ...args], { stdio: "inherit" }).status ?? 1;
}

const isReady = missingPrograms().length === 0 || run("tools/real-control-plane.ts", []) === 0;
process.exitCode = isReady ? run("test/differential/main.ts", process.argv.slice(2)) : 1;
