// Rewrites the vectors: the answers of upstream's own packages to seeded inputs, from the Go programs
// tools/go/vectors-*. With them the tests need no Go. A program prints test/vectors/<name>.json, unless it is listed
// here.

import { globSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { vectorsDir } from "#tools/generate/emit.ts";
import { groupVersions } from "#tools/generate/resources.ts";
import { goToolsDir, runGoTool } from "#tools/generate/upstream.ts";

/** Programs that take arguments; those that take a folder write several files. */
const programArguments: Readonly<Record<string, () => readonly string[]>> = {
  proto: () => [...groupVersions(), "meta.k8s.io/v1"],
};
const programFolders: Readonly<Record<string, string>> = {
  crd: vectorsDir,
  validation: join(vectorsDir, "validation"),
  values: vectorsDir,
};

export function vectorNames(): readonly string[] {
  return globSync(join(goToolsDir, "vectors-*"))
    .map((folder) => basename(folder).slice("vectors-".length))
    .sort();
}

export function generateVectors(name: string): void {
  const folder = programFolders[name];
  if (folder !== undefined) runGoTool(`vectors-${name}`, folder);
  else {
    const printed = runGoTool(`vectors-${name}`, ...(programArguments[name]?.() ?? []));
    writeFileSync(join(vectorsDir, `${name}.json`), printed);
  }
}
