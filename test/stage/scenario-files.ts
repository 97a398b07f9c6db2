// Finds the scenarios of all controllers. Each folder of test/scenarios with a scenarios.ts has the scenarios of one
// controller.

import { globSync } from "node:fs";
import { join } from "node:path";
import { folderOf } from "./recording.ts";
import type { Scenario } from "./scenario.ts";

const root = join(import.meta.dirname, "..", "scenarios");

/** The scenarios whose folder is one of the words or whose name contains one; without words, all. */
export async function findScenarios(words: readonly string[]): Promise<readonly Scenario[]> {
  const files = globSync("*/scenarios.ts", { cwd: root }).sort();
  const modules = await Promise.all(
    files.map((file) => import(join(root, file)) as Promise<{ readonly scenarios: readonly Scenario[] }>),
  );
  const all = modules.flatMap(({ scenarios }) => scenarios);
  if (words.length === 0) return all;
  const folders = new Set(all.map(folderOf));
  return all.filter((scenario) =>
    words.some((word) => (folders.has(word) ? folderOf(scenario) === word : scenario.name.includes(word))),
  );
}
