// The order of scenarios when there is not time for all of them.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { changedFiles } from "#tools/changed-files.ts";
import { folderOf } from "./recording.ts";
import type { Scenario } from "./scenario.ts";

/** Scenarios of changed controllers first, the rest in an order derived from the commit's hash. */
export function mostTellingFirst(scenarios: readonly Scenario[]): readonly Scenario[] {
  const changed = changedFolders();
  const seed = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).stdout?.trim() ?? "";
  const rank = (scenario: Scenario): string => {
    const hash = createHash("sha256").update(`${seed} ${scenario.name}`).digest("hex");
    return `${changed.has(folderOf(scenario)) ? 0 : 1} ${hash}`;
  };
  return scenarios.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** The folders of controllers that changed. */
function changedFolders(): ReadonlySet<string> {
  const files = [...(changedFiles() ?? [])];
  return new Set(files.flatMap((file) => /^(?:src\/controllers|test\/scenarios)\/([^/]+)\//.exec(file)?.[1] ?? []));
}
