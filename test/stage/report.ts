// The readable report of a comparison with Go's manager.

import { stringifyJson } from "#base/json.ts";
import type { Difference } from "./compare.ts";

export interface Comparison {
  readonly name: string;
  /** Why the scenario could not be played. */
  readonly errors: readonly string[];
  /** Ours compared with Go's. */
  readonly differences: readonly Difference[];
  /** Go's compared with Go's second play. */
  readonly control: readonly Difference[];
  readonly isRecorded?: boolean;
}

const SHOWN_MAX = 12;
const VALUE_CHARACTERS_MAX = 400;

export function isSame({ errors, differences, control }: Comparison): boolean {
  return errors.length + differences.length + control.length === 0;
}

export function printed(comparison: Comparison): string {
  const { name, errors, differences, control, isRecorded } = comparison;
  const lines = [
    `${isSame(comparison) ? "same" : "DIFF"}  ${name}${isRecorded ? " (recorded)" : ""}`,
    ...errors.map((error) => `      could not be played ${error.replaceAll("\n", "\n      ")}`),
    ...listed(differences, "go", "ours"),
    ...listed(control, "go", "go again"),
  ];
  return `${lines.join("\n")}\n`;
}

export function listed(differences: readonly Difference[], left: string, right: string): readonly string[] {
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
