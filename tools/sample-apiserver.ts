// Builds k8s.io/sample-apiserver from its Go module, in the version of the real control plane, into the same cache.

import { kubernetesVersion } from "./control-plane-binaries.ts";
import { type GoProgram, goProgramPath, installGoProgram } from "./go-program.ts";

const program: GoProgram = {
  name: "sample-apiserver",
  // v1.36.4 consists of libraries of version v0.36.4.
  module: `k8s.io/sample-apiserver@${kubernetesVersion.replace(/^v1\./, "v0.")}`,
};

export const sampleApiServerPath = (): string => goProgramPath(program);

if (import.meta.main) process.exitCode = installGoProgram(program);
