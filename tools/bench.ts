// `make bench`: measures our controllers against the Go manager's on a real API server and rewrites
// docs/benchmarks.md. Arguments are passed on to bench/manager.ts; --quick is one short round that writes nothing.

import { spawnSync } from "node:child_process";
import { missingPrograms } from "./control-plane-binaries.ts";

function run(script: string, args: readonly string[]): number {
  return spawnSync(process.execPath, [script, ...args], { stdio: "inherit" }).status ?? 1;
}

const isReady = missingPrograms().length === 0 || run("tools/real-control-plane.ts", []) === 0;
process.exitCode = isReady ? run("bench/manager.ts", process.argv.slice(2)) : 1;
