// Plants a fault, and reads from the output of a suite why it failed: the names of failed tests of `bun test`, and
// failed plays. A file that does not load names no test, so it does not count.

import type { FaultPlan, PlantedFault } from "#test/planted-faults/fault.ts";

/** Throws if the fault cannot be planted: the plan is then outdated. */
export function planted(source: string, { name, file, find, replace }: PlantedFault): string {
  const parts = source.split(find);
  if (parts.length !== 2) throw new Error(`"${name}": ${file} has ${parts.length - 1} places to plant it, not 1`);
  return parts.join(replace);
}

/** The outdated parts of a plan, one sentence each. `hasTest` is whether the plan's suites have a test of this name. */
export function planProblems(
  { suites, plays, faults }: FaultPlan,
  read: (file: string) => string,
  hasTest: (name: string) => boolean,
): readonly string[] {
  const problems = faults.flatMap((fault) => {
    try {
      const source = read(fault.file);
      return planted(source, fault) === source ? [`"${fault.name}": changes nothing`] : [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
  const nameless = faults.filter(({ noticedBy }) => noticedBy === "").map(({ name }) => `"${name}": who notices it?`);
  const unnoticed = faults
    .filter(({ noticedBy }) => noticedBy !== "" && !hasTest(noticedBy))
    .map(({ name, noticedBy }) => `"${name}": there is no test "${noticedBy}"`);
  const unplayed = (suites === undefined) === (plays === undefined) ? ["has suites and plays, or neither"] : [];
  return [...problems, ...nameless, ...unnoticed, ...unplayed, ...(faults.length === 0 ? ["has no faults"] : [])];
}

/**
 * The faults that a change affects: all of a plan if the plan or its suites changed, otherwise those in changed files.
 */
export function faultsOfChange(
  { suites = [], faults }: FaultPlan,
  planFile: string,
  changed: ReadonlySet<string>,
): readonly PlantedFault[] {
  const paths = suites.map((suite) => suite.replace(/^\.\//, ""));
  const isOfPlan = (file: string): boolean =>
    file === planFile || paths.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, "")}/`));
  if ([...changed].some(isOfPlan)) return faults;
  return faults.filter(({ file }) => changed.has(file));
}

/** For `bun test --test-name-pattern`: the tests that notice these faults. The runner joins names with spaces there. */
export function namePattern(faults: readonly PlantedFault[]): string {
  const names = new Set(faults.map(({ noticedBy }) => noticedBy.replaceAll(" > ", " ")));
  return [...names].map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
}

const FAILED_TEST = /^\(fail\) (.*?)(?: \[[\d.]+ *m?s\])?$/;
const FAILED_PLAY = /^FAILED: (.*)$/;

export function failuresIn(output: string): readonly string[] {
  return output.split("\n").flatMap((line) => FAILED_TEST.exec(line)?.[1] ?? FAILED_PLAY.exec(line)?.[1] ?? []);
}
