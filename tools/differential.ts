// `make differential`: runs test/stage/differential.ts, which compares our controllers with the Go manager's on real
// control planes. Arguments are passed on: a controller's folder, parts of scenario names, --record. A comparison that
// hangs is killed, together with the processes that it started.

import { spawnSync } from "node:child_process";
import { missingPrograms } from "./control-plane-binaries.ts";

/** Many times the normal duration. */
const limitMs = 90 * 60_000;

function run(script: string, args: readonly string[], timeout?: number): number {
  const options = { stdio: "inherit", timeout, killSignal: "SIGKILL" } as const;
  return spawnSync(process.execPath, [script, ...args], options).status ?? 1;
}

const isReady = missingPrograms().length === 0 || run("tools/real-control-plane.ts", []) === 0;
process.exitCode = isReady ? run("test/stage/differential.ts", process.argv.slice(2), limitMs) : 1;
