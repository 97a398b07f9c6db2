// The results of the comparison with Go's manager, per controller. `differential --results` writes them and `parity
// publish` copies them to docs/parity.md.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Difference } from "./compare.ts";
import { folderOf, readRecording } from "./recording.ts";
import { isExcused, type Scenario } from "./scenario.ts";

/** One scenario compared on stage e. */
export interface Compared {
  readonly scenario: Scenario;
  readonly isSame: boolean;
  /** Includes the differences that the scenario leaves to chance. */
  readonly differences: readonly Difference[];
}

interface FolderResult {
  readonly day: string;
  readonly same: number;
  /** The number of scenarios that differed only where they leave it to chance, by reason. */
  readonly byChance: Readonly<Record<string, number>>;
  /** The names of the scenarios with a difference that no reason covers. */
  readonly different: readonly string[];
}

type Results = Readonly<Record<string, FolderResult>>;

const file = join(import.meta.dirname, "recorded", "results.json");

function readResults(): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Results) : {};
}

const isPlayed = ({ virtualOnly }: Scenario): boolean => virtualOnly === undefined;

/** Replaces the results of the folders whose scenarios were all played. */
export function writeResults(all: readonly Scenario[], compared: readonly Compared[], day: string): void {
  const wanted = Map.groupBy(all.filter(isPlayed), folderOf);
  const found = [...Map.groupBy(compared, ({ scenario }) => folderOf(scenario))].flatMap(([folder, members]) =>
    members.length === wanted.get(folder)?.length ? [[folder, resultOf(members, day)] as const] : [],
  );
  const results = Object.entries({ ...readResults(), ...Object.fromEntries(found) });
  const sorted = Object.fromEntries(results.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 1)}\n`);
}

function resultOf(compared: readonly Compared[], day: string): FolderResult {
  const same = compared.filter(({ isSame }) => isSame);
  const byChance: Record<string, number> = {};
  for (const { scenario, differences } of same) {
    const used = (scenario.chance ?? []).filter((excuse) => differences.some((each) => isExcused(each, excuse)));
    for (const reason of new Set(used.map((excuse) => excuse.reason))) byChance[reason] = (byChance[reason] ?? 0) + 1;
  }
  const different = compared.filter(({ isSame }) => !isSame).map(({ scenario }) => scenario.name);
  return { day, same: same.length, byChance, different };
}

/** The tables of docs/parity.md. */
export function resultTables(all: readonly Scenario[]): string {
  const results = readResults();
  const rows = [...Map.groupBy(all, folderOf)].map(([folder, scenarios]) => {
    const long = scenarios.filter((scenario) => !isPlayed(scenario));
    const confirmed = long.filter((scenario) => scenario.confirmedBy !== undefined || readRecording(scenario));
    const { day = "", same = 0, different = [] } = results[folder] ?? {};
    const real = scenarios.length - long.length;
    return {
      folder,
      real,
      slow: scenarios.filter(({ slow }) => slow).length,
      alone: scenarios.filter(({ alone }) => alone).length,
      same,
      different: different.length,
      long: long.length,
      confirmed: confirmed.length,
      day,
    };
  });
  const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const total = {
    folder: "all",
    real: sum((row) => row.real),
    slow: sum((row) => row.slow),
    alone: sum((row) => row.alone),
    same: sum((row) => row.same),
    different: sum((row) => row.different),
    long: sum((row) => row.long),
    confirmed: sum((row) => row.confirmed),
    day: "",
  };
  const lines = [...rows, total].map((row) => {
    const { folder, real, slow, same, different, long, confirmed, alone, day } = row;
    return `| ${[folder, real, slow, same, different, long, confirmed, alone, day].join(" | ")} |`;
  });
  return [
    "| | on real control planes | of them slow | same | different | in virtual time only | of them confirmed | alone | day |",
    "|---|---|---|---|---|---|---|---|---|",
    ...lines,
    "",
    "Scenarios that are the same but for a place where two runs of Go differ, in the runs that this table counts:",
    "",
    "| why the place is not compared | scenarios |",
    "|---|---|",
    ...chanceLines(results),
  ].join("\n");
}

function chanceLines(results: Results): readonly string[] {
  const counts = new Map<string, number>();
  for (const { byChance } of Object.values(results)) {
    for (const [reason, count] of Object.entries(byChance)) counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  const sorted = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return sorted.map(([reason, count]) => `| ${reason} | ${count} |`);
}
