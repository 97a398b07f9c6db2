// Installs a program from its Go module into the cache of the real control plane. A finished program is renamed into
// place; an existing one is kept.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { binaryDirectory } from "./control-plane-binaries.ts";

export interface GoProgram {
  /** The file name in the cache. */
  readonly name: string;
  /** Package and version, as arguments of `go install`. */
  readonly module: string;
}

export const goProgramPath = ({ name }: GoProgram): string => join(binaryDirectory(), name);

/** Returns an exit code. */
export function installGoProgram(program: GoProgram): number {
  const target = goProgramPath(program);
  if (existsSync(target)) return 0;
  process.stdout.write(`building ${program.module}; a cold build takes about 5 minutes on 2 cores\n`);
  const draft = `${target}.${process.pid}.partial`;
  mkdirSync(draft, { recursive: true });
  try {
    const env = { ...process.env, CGO_ENABLED: "0", GOBIN: draft };
    const args = ["install", "-trimpath", "-ldflags", "-s -w", program.module];
    const { status, error } = spawnSync("go", args, { env, stdio: "inherit" });
    if (error !== undefined) process.stdout.write(`it is built with Go 1.26 or newer: ${error.message}\n`);
    if (status === 0) renameSync(join(draft, builtName(program.module)), target);
    return status ?? 1;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** `go install` names a program after the last part of its package. */
function builtName(module: string): string {
  return basename(module.replace(/@.*/, ""));
}
