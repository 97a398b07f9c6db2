// The verdict over all scenarios, and the report for people.

import { stringifyJson } from "#base/json.ts";
import type { Totals } from "#tools/test-totals.ts";
import type { Difference } from "./compare.ts";
import type { KnownDifference } from "./known-differences.ts";
import type { Scenario } from "./scenario.ts";

export interface Played {
  readonly scenario: Scenario;
  /** Why a run of it could not be finished. */
  readonly errors: readonly string[];
  /** Ours against Go. */
  readonly differences: readonly Difference[];
  /** Go against Go. */
  readonly controlDifferences: readonly Difference[];
  /** Objects written to, over all phases, by Go. */
  readonly writes: number;
  /** Different reads by Go. */
  readonly reads: number;
  /** Status writes of Go, of ours and of Go again: how many are needed is a matter of timing. */
  readonly statusWrites: readonly number[];
}

export interface Verdict {
  readonly isGood: boolean;
  /** Known differences that occurred, with the number of places. */
  readonly known: ReadonlyMap<KnownDifference, number>;
  readonly outdated: readonly KnownDifference[];
  isKnown(scenario: Scenario, difference: Difference): boolean;
}

const SHOWN_MAX = 12;
const VALUE_CHARACTERS_MAX = 400;

export function judge(played: readonly Played[], expected: readonly KnownDifference[]): Verdict {
  const matches = (known: KnownDifference, { name }: Scenario, { where }: Difference): boolean =>
    known.scenarios.test(name) && known.where.test(where);
  const known = new Map<KnownDifference, number>();
  for (const { scenario, differences } of played) {
    for (const difference of differences) {
      const found = expected.find((candidate) => matches(candidate, scenario, difference));
      if (found !== undefined) known.set(found, (known.get(found) ?? 0) + 1);
    }
  }
  const isKnown = (scenario: Scenario, difference: Difference): boolean =>
    expected.some((candidate) => matches(candidate, scenario, difference));
  const outdated = expected.filter((candidate) => !known.has(candidate));
  const isGood =
    outdated.length === 0 &&
    played.every(
      ({ scenario, errors, differences, controlDifferences }) =>
        errors.length === 0 &&
        controlDifferences.length === 0 &&
        differences.every((difference) => isKnown(scenario, difference)),
    );
  return { isGood, known, outdated, isKnown };
}

/** A scenario is a test; so is a difference that no longer occurs. */
export function totalsOf(played: readonly Played[], verdict: Verdict): Totals {
  const failed = played.filter((each) => !isSame(each, verdict)).length;
  return { passed: played.length - failed, failed: failed + verdict.outdated.length, skipped: 0 };
}

function isSame({ scenario, errors, differences, controlDifferences }: Played, verdict: Verdict): boolean {
  const unknown = differences.filter((difference) => !verdict.isKnown(scenario, difference));
  return errors.length + unknown.length + controlDifferences.length === 0;
}

export function printReport(played: readonly Played[], verdict: Verdict): string {
  const lines: string[] = [];
  for (const { scenario, errors, differences, controlDifferences, writes, reads, statusWrites } of played) {
    const unknown = differences.filter((difference) => !verdict.isKnown(scenario, difference));
    const knownCount = differences.length - unknown.length;
    const isGood = errors.length === 0 && unknown.length === 0 && controlDifferences.length === 0;
    const counts = [
      `${writes} write sequences`,
      `${reads} reads`,
      ...(statusWrites.length > 0 ? [`status writes ${statusWrites.join(" : ")}`] : []),
      ...(knownCount > 0 ? [`${knownCount} known differences`] : []),
      ...(unknown.length > 0 ? [`${unknown.length} DIFFERENCES`] : []),
      ...(controlDifferences.length > 0 ? [`CONTROL RUN NOT CLEAN (${controlDifferences.length})`] : []),
    ];
    lines.push(`${isGood ? "same" : "DIFF"}  ${scenario.name}: ${scenario.about} (${counts.join(", ")})`);
    for (const error of errors) lines.push(`      could not be played: ${error}`);
    lines.push(...listed(unknown, "go", "ours"), ...listed(controlDifferences, "go", "go again"));
  }
  for (const [{ reason, where }, count] of verdict.known) lines.push(`known  ${where}: ${reason} (${count} places)`);
  for (const { reason, where } of verdict.outdated) lines.push(`OUTDATED  ${where} no longer occurs: ${reason}`);
  const [go = 0, ours = 0, again = 0] = [0, 1, 2].map((run) =>
    played.reduce((sum, { statusWrites }) => sum + (statusWrites[run] ?? 0), 0),
  );
  lines.push(`Status writes: ${go} by Go, ${ours} by ours, ${again} by Go again.`);
  lines.push(`${totalsOf(played, verdict).passed} of ${played.length} scenarios are the same.`, "");
  return lines.join("\n");
}

function listed(differences: readonly Difference[], left: string, right: string): readonly string[] {
  const lines = differences
    .slice(0, SHOWN_MAX)
    .flatMap((difference) => [
      `      ${difference.where}`,
      `        ${left.padEnd(8)} ${shown(difference.left)}`,
      `        ${right.padEnd(8)} ${shown(difference.right)}`,
    ]);
  const more = differences.length - SHOWN_MAX;
  return more > 0 ? [...lines, `      … and ${more} more`] : lines;
}

function shown(value: unknown): string {
  if (value === undefined) return "(nothing)";
  const text = stringifyJson(value);
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;
}
