// How many tests passed, failed and were skipped: read from the reports of the two runners, and told at the end of
// every target in the same words. CI sums what the targets it runs write into the file that it names.

import { appendFileSync } from "node:fs";

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const noTests: Totals = { passed: 0, failed: 0, skipped: 0 };

export function sumTotals(parts: readonly Totals[]): Totals {
  return parts.reduce(
    (a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }),
    noTests,
  );
}

/** The JUnit report of `bun test`: the root element has the sums. */
export function totalsOfJunit(xml: string): Totals {
  const root = /<testsuites [^>]*>/.exec(xml)?.[0] ?? "";
  const count = (name: string): number => Number(new RegExp(` ${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const [failed, skipped] = [count("failures"), count("skipped")];
  return { passed: count("tests") - failed - skipped, failed, skipped };
}

/** The JSON report of vitest. */
export function totalsOfVitest(json: string): Totals {
  const counts = JSON.parse(json) as Record<string, number>;
  const { numPassedTests: passed = 0, numFailedTests: failed = 0, numPendingTests = 0, numTodoTests = 0 } = counts;
  return { passed, failed, skipped: numPendingTests + numTodoTests };
}

/** A runner that fails without a failed test (a file that does not load, a crash) has failed once. */
export function judge(counted: Totals, isGreen: boolean): Totals {
  return isGreen || counted.failed > 0 ? counted : { ...counted, failed: 1 };
}

/** The last line of a target. */
export function tellTotals({ passed, failed, skipped }: Totals): void {
  const file = process.env.STEERSMAN_TEST_TOTALS;
  if (file !== undefined) appendFileSync(file, `${passed} ${failed} ${skipped}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}
