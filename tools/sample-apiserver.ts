// Builds k8s.io/sample-apiserver from its Go module, of the version that belongs to the real control plane, into the same
// cache. A finished program appears by rename; what is there is kept.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binaryDirectory, kubernetesVersion } from "./control-plane-binaries.ts";

const NAME = "sample-apiserver";
/** v1.36.4 is made of libraries of version v0.36.4. */
const module = `k8s.io/${NAME}@${kubernetesVersion.replace(/^v1\./, "v0.")}`;

export const sampleApiServerPath = (): string => join(binaryDirectory(), NAME);

function build(): number {
  if (existsSync(sampleApiServerPath())) return 0;
  process.stdout.write(`building ${module}; a cold build takes about 5 minutes on 2 cores\n`);
  const draft = join(binaryDirectory(), `${NAME}.${process.pid}.partial`);
  mkdirSync(draft, { recursive: true });
  try {
    const env = { ...process.env, CGO_ENABLED: "0", GOBIN: draft };
    const { status } = spawnSync("go", ["install", "-trimpath", "-ldflags", "-s -w", module], {
      env,
      stdio: "inherit",
    });
    if (status === 0) renameSync(join(draft, NAME), sampleApiServerPath());
    return status ?? 1;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exitCode = build();
