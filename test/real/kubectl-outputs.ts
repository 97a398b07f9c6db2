// The output of a kubectl line on each of two clusters, and whether both are equal except for known differences.

import { expect } from "vitest";
import type { CommandOutcome } from "./control-plane.ts";
import type { KubectlDifference } from "./kubectl-differences.ts";

interface Output {
  readonly code: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

export function outputOf({ code, stdout, stderr }: CommandOutcome, normalise: (text: string) => string): Output {
  return { code, stdout: normalise(stdout).split("\n"), stderr: normalise(stderr).split("\n") };
}

/** A known difference must exist, and both outputs must be the known ones. */
export function sameButKnown(
  line: string,
  ours: Output | undefined,
  theirs: Output | undefined,
  differences: readonly KubectlDifference[],
): void {
  const known = differences.find((difference) => difference.line === line);
  if (known === undefined) expect({ line, ...ours }).toEqual({ line, ...theirs });
  else {
    expect(JSON.stringify(ours), line).not.toBe(JSON.stringify(theirs));
    expect(textOf(ours), line).toMatch(known.ours);
    expect(textOf(theirs), line).toMatch(known.theirs);
  }
}

function textOf(output: Output | undefined): string {
  return [...(output?.stdout ?? []), ...(output?.stderr ?? [])].join("\n");
}
