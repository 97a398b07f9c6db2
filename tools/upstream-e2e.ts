// Builds upstream's own end-to-end tests (tools/go/upstream-e2e) into the cache of the real control plane. The
// program's name contains a checksum of its sources, so that an existing file is always current.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { binaryDirectory } from "./control-plane-binaries.ts";

const goModule = join(import.meta.dirname, "go", "upstream-e2e");
const sources = ["main.go", "go.mod"];

export function upstreamTestsPath(): string {
  const hash = createHash("sha256");
  for (const file of sources) hash.update(readFileSync(join(goModule, file)));
  return join(binaryDirectory(), `upstream-e2e-${hash.digest("hex").slice(0, 8)}`);
}

function build(): number {
  const target = upstreamTestsPath();
  if (existsSync(target)) return 0;
  process.stdout.write("building upstream's end-to-end tests; a cold build takes about 6 minutes on 2 cores\n");
  mkdirSync(binaryDirectory(), { recursive: true });
  const draft = `${target}.${process.pid}.partial`;
  const { status, error } = spawnSync("go", ["build", "-trimpath", "-ldflags", "-s -w", "-o", draft, "."], {
    cwd: goModule,
    env: { ...process.env, CGO_ENABLED: "0" },
    stdio: "inherit",
  });
  if (error !== undefined) process.stdout.write(`they are built with Go 1.26 or newer: ${error.message}\n`);
  if (status === 0) renameSync(draft, target);
  return status ?? 1;
}

if (import.meta.main) process.exitCode = build();
