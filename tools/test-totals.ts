// How many tests passed, failed and were skipped, and which failed: read from the reports of the two runners, and told
// at the end of every target in the same words. What the targets write into the file that CI names, CI sums and repeats.

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

/** One line per failed test of a JUnit report: where, which, why. */
export function failuresOfJunit(xml: string): readonly string[] {
  const failed = /<testcase name="([^"]*)"[^>]* file="([^"]*)"[^>]*>\s*<failure [^>]*?message="([^"]*)"/g;
  return Array.from(xml.matchAll(failed), ([, name = "", file = "", why = ""]) =>
    inOneLine(unescapeXml(`${file}: ${name}: ${why}`)),
  );
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** One line per failed test of a vitest report. */
export function failuresOfVitest(json: string): readonly string[] {
  return (JSON.parse(json) as VitestReport).testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages = [] }) => inOneLine(`${file}: ${fullName}: ${failureMessages[0] ?? ""}`)),
  );
}

const lineMax = 600;
function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, lineMax);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&", "#10": " " };
function unescapeXml(text: string): string {
  return text.replaceAll(/&(#?\w+);/g, (entity, name: string) => entities[name] ?? entity);
}

/** A runner that fails without a failed test (a file that does not load, a crash) has failed once. */
export function judge(counted: Totals, isGreen: boolean): Totals {
  return isGreen || counted.failed > 0 ? counted : { ...counted, failed: 1 };
}

/** The last lines of a target: what failed, if anything, and the sums. */
export function tellTotals({ passed, failed, skipped }: Totals, failures: readonly string[] = []): void {
  const named = failures.map((failure) => `FAILED: ${failure}\n`).join("");
  const file = process.env.STEERSMAN_TEST_TOTALS;
  if (file !== undefined) appendFileSync(file, `${passed} ${failed} ${skipped}\n${named}`);
  process.stdout.write(`${named}${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}
