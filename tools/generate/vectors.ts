// Rewrites the vectors: what upstream's own packages answer to seeded inputs, asked by the Go
// programs of tools/go/vectors-*, so that the tests need no Go.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vectorsDir } from "#tools/generate/emit.ts";
import { runGoTool, runGoToolInside } from "#tools/generate/upstream.ts";

export function generateVectors(groupVersions: readonly string[]): void {
  writeFileSync(join(vectorsDir, "proto.json"), runGoTool("vectors-proto", ...groupVersions, "meta.k8s.io/v1"));
  writeFileSync(join(vectorsDir, "yaml.json"), runGoTool("vectors-yaml"));
  writeFileSync(join(vectorsDir, "certificates.json"), runGoTool("vectors-certificates"));
  writeFileSync(join(vectorsDir, "hash.json"), runGoTool("vectors-hash"));
  writeFileSync(join(vectorsDir, "patch.json"), runGoTool("vectors-patch"));
  writeFileSync(join(vectorsDir, "apply.json"), runGoTool("vectors-apply"));
  writeFileSync(join(vectorsDir, "defaults.json"), runGoTool("vectors-defaults"));
  runGoTool("vectors-validation", join(vectorsDir, "validation"));
  writeFileSync(join(vectorsDir, "printers.json"), runGoTool("vectors-printers"));
  runGoTool("vectors-values", vectorsDir);
  runGoTool("vectors-crd", vectorsDir);
  writeFileSync(
    join(vectorsDir, "garbage-collector-graph.json"),
    runGoToolInside("pkg/controller/garbagecollector", "vectors-garbage-collector"),
  );
}
