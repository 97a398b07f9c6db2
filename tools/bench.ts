// `make bench`: measures the whole manager and the replica controllers against the Go manager's on a real API server,
// rewrites docs/benchmarks.md, and then measures the daemon as a process. Arguments are passed on to bench/manager.ts.
// --quick is one short round of everything that writes nothing. With --whole only the whole manager is measured.

import { spawnSync } from "node:child_process";
import { missingPrograms } from "./control-plane-binaries.ts";

function run(script: string, args: readonly string[]): number {
  return spawnSync(process.execPath, [script, ...args], { stdio: "inherit" }).status ?? 1;
}

function runAll(args: readonly string[]): number {
  const quick = args.filter((argument) => argument === "--quick");
  if (args.includes("--whole")) return run("bench/manager.ts", args);
  return (
    run("bench/manager.ts", ["--whole", ...args]) ||
    run("bench/manager.ts", args) ||
    run("tools/build.ts", []) ||
    run("bench/daemon.ts", quick)
  );
}

const isReady = missingPrograms().length === 0 || run("tools/real-control-plane.ts", []) === 0;
process.exitCode = isReady ? runAll(process.argv.slice(2)) : 1;
