// Finds the programs of the real control plane. A program is current when it runs and reports the pinned version.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export const kubernetesVersion = "v1.36.4";
const etcdVersion = "3.6.8";

export const controlPlanePrograms = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubectl",
] as const;
export type ControlPlaneProgram = (typeof controlPlanePrograms)[number];

/** The folder STEERSMAN_CONTROL_PLANE, otherwise the one that `make real-control-plane` fills. */
export function binaryDirectory(): string {
  return (
    process.env.STEERSMAN_CONTROL_PLANE ??
    join(process.env.STEERSMAN_CACHE ?? join(homedir(), ".cache", "steersman"), kubernetesVersion, "bin")
  );
}

export function binaryPath(program: ControlPlaneProgram): string {
  return join(binaryDirectory(), program);
}

/** The programs without a file. Cheap: runs nothing. */
export function missingPrograms(): ControlPlaneProgram[] {
  return controlPlanePrograms.filter((program) => !existsSync(binaryPath(program)));
}

/** Whether the file runs and reports the pinned version. */
export function isCurrent(program: ControlPlaneProgram): boolean {
  const args = program === "kubectl" ? ["version", "--client"] : ["--version"];
  const { status, stdout } = spawnSync(binaryPath(program), args, { encoding: "utf8" });
  return status === 0 && stdout.split(/\s+/).includes(program === "etcd" ? etcdVersion : kubernetesVersion);
}
