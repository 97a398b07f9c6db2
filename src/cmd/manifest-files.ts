// The files of --apply and --stages: read before the cluster starts, so that errors are reported at once.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, ManifestError, readManifests } from "#cluster/manifests.ts";
import { readStages } from "#cluster/stages-file.ts";
import type { Stages } from "#nodes/stages.ts";
import { systemErrorText } from "#platform/https-server/serving-files.ts";

const STANDARD_INPUT = 0;

export function readStagesFile(path: string): Stages {
  return readStages(titleOf(path), textOf("stages", path));
}

const titleOf = (file: string): string => (file === "-" ? "standard input" : file);

export function readManifestFiles(paths: readonly string[]): readonly Manifest[] {
  const problems: string[] = [];
  const manifests = paths.flatMap(filesAt).flatMap((file) => {
    try {
      return readManifests(titleOf(file), textOf("apply", file));
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  if (problems.length > 0) throw new ManifestError(problems);
  return manifests;
}

/** Like `kubectl -f`: a directory means the manifests directly in it. */
function filesAt(path: string): readonly string[] {
  if (path === "-") return [path];
  try {
    if (!statSync(path).isDirectory()) return [path];
  } catch (cause) {
    throw new ManifestError([`--apply ${path}: ${systemErrorText(cause)}`]);
  }
  const names = readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (names.length === 0) throw new ManifestError([`--apply ${path}: the directory has no .yaml, .yml or .json file`]);
  return names.sort().map((name) => join(path, name));
}

function textOf(flag: string, file: string): string {
  try {
    return readFileSync(file === "-" ? STANDARD_INPUT : file, "utf8");
  } catch (cause) {
    throw new ManifestError([`--${flag} ${file}: ${systemErrorText(cause)}`]);
  }
}
