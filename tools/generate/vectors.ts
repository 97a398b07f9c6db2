// Rewrites the vectors: what upstream's own packages answer to seeded inputs, asked by the Go
// programs of tools/go/vectors-*, so that the tests need no Go.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vectorsDir } from "#tools/generate/emit.ts";
import { runGoTool } from "#tools/generate/upstream.ts";

export function generateVectors(groupVersions: readonly string[]): void {
  const api = vectorsDir("api");
  const rules = vectorsDir("rules");
  writeFileSync(join(api, "proto.json"), runGoTool("vectors-proto", ...groupVersions, "meta.k8s.io/v1"));
  writeFileSync(join(api, "yaml.json"), runGoTool("vectors-yaml"));
  writeFileSync(join(api, "hash.json"), runGoTool("vectors-hash"));
  writeFileSync(join(api, "patch.json"), runGoTool("vectors-patch"));
  writeFileSync(join(api, "apply.json"), runGoTool("vectors-apply"));
  writeFileSync(join(rules, "defaults.json"), runGoTool("vectors-defaults"));
  writeFileSync(join(rules, "validation.json"), runGoTool("vectors-validation"));
  writeFileSync(join(rules, "printers.json"), runGoTool("vectors-printers"));
  runGoTool("vectors-values", api, rules);
  runGoTool("vectors-crd", rules);
}
