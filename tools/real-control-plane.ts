// Builds etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl from their Go modules (pinned in
// tools/go) into a cache outside the checkout. Current programs are kept, a finished program is renamed into place, and
// Go's build cache resumes an interrupted build.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  binaryDirectory,
  binaryPath,
  type ControlPlaneProgram,
  controlPlanePrograms,
  isCurrent,
  kubernetesVersion,
} from "./control-plane-binaries.ts";

const goModule = fileURLToPath(new URL("./go", import.meta.url));
const progressIntervalMs = 10_000;

const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(kubernetesVersion) ?? [];
const stamp = { gitVersion: kubernetesVersion, gitMajor: major, gitMinor: minor };
const ldflags = [
  "-s -w",
  ...Object.entries(stamp).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`),
].join(" ");

function say(line: string): void {
  process.stdout.write(`real-control-plane: ${line}\n`);
}

async function build(program: ControlPlaneProgram): Promise<void> {
  const target = binaryPath(program);
  const partial = `${target}.${process.pid}.partial`;
  const source = program === "etcd" ? "./etcd" : `k8s.io/kubernetes/cmd/${program}`;
  // -v prints each compiled package: that is the progress.
  const args = ["build", "-v", "-trimpath", "-ldflags", ldflags, "-o", partial, source];
  const startedMs = performance.now();
  const go = spawn("go", args, {
    cwd: goModule,
    env: { ...process.env, CGO_ENABLED: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const { status, packages, complaints } = await follow(program, go);
    if (status !== 0) throw new Error(`go build of ${program} failed (${status}):\n${complaints.join("\n")}`);
    renameSync(partial, target);
    say(`${program}: built in ${Math.round((performance.now() - startedMs) / 1000)} s (${packages} packages compiled)`);
  } finally {
    rmSync(partial, { force: true });
  }
}

interface BuildOutcome {
  readonly status: number | string | null;
  readonly packages: number;
  readonly complaints: readonly string[];
}

function follow(program: string, go: ChildProcess): Promise<BuildOutcome> {
  let packages = 0;
  let rest = "";
  const complaints: string[] = [];
  const progress = setInterval(() => say(`${program}: ${packages} packages compiled so far`), progressIntervalMs);
  go.stderr?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (/^[\w./~-]+$/.test(line)) packages++;
      else complaints.push(line);
    }
  });
  return new Promise<BuildOutcome>((resolve, reject) => {
    go.on("error", reject);
    go.on("close", (code, signal) => resolve({ status: code ?? signal, packages, complaints: [...complaints, rest] }));
  }).finally(() => clearInterval(progress));
}

async function main(): Promise<number> {
  const stale = controlPlanePrograms.filter((program) => !isCurrent(program));
  if (stale.length === 0) {
    say(`${kubernetesVersion} is ready in ${binaryDirectory()}`);
    return 0;
  }
  if (process.env.STEERSMAN_CONTROL_PLANE !== undefined) {
    say(`STEERSMAN_CONTROL_PLANE lacks ${kubernetesVersion} of ${stale.join(", ")}; unset it to build them`);
    return 1;
  }
  if (spawnSync("go", ["version"]).status !== 0) {
    say(`missing: ${stale.join(", ")}. Building them needs Go 1.26 or newer on the PATH (https://go.dev/dl).`);
    return 1;
  }
  mkdirSync(binaryDirectory(), { recursive: true });
  say(`building ${stale.join(", ")}; a cold build takes about 8 minutes on 2 cores and may be interrupted`);
  for (const program of stale) await build(program);
  return 0;
}

process.exitCode = await main();
