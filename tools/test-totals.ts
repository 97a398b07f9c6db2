// The numbers of passed, failed and skipped tests, and the failed ones: read from the reports of both runners, and
// printed in the same form at the end of every target. Targets also write them to a file that CI names; CI prints their
// sum.

import { appendFileSync } from "node:fs";
import { relative } from "node:path";

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
    readonly startTime: number;
    readonly endTime: number;
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

/** The seconds of each file in a JUnit report. */
export function secondsOfJunit(xml: string): ReadonlyMap<string, number> {
  const suite = /<testsuite name="([^"]*)" file="([^"]*)"[^>]* time="([\d.]+)"/g;
  const files = Array.from(xml.matchAll(suite)).filter(([, name, file]) => name === file);
  return new Map(files.map(([, , file = "", time]) => [file, Number(time)]));
}

/** The seconds of each file in a vitest report. */
export function secondsOfVitest(json: string): ReadonlyMap<string, number> {
  const { testResults } = JSON.parse(json) as VitestReport;
  return new Map(testResults.map(({ name, startTime, endTime }) => [relative("", name), (endTime - startTime) / 1000]));
}

const lineMax = 600;
function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, lineMax);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&", "#10": " " };
function unescapeXml(text: string): string {
  return text.replaceAll(/&(#?\w+);/g, (entity, name: string) => entities[name] ?? entity);
}

/** A runner that fails without a failed test (a file that does not load, a crash) counts as one failure. */
export function judge(counted: Totals, isGreen: boolean): Totals {
  return isGreen || counted.failed > 0 ? counted : { ...counted, failed: 1 };
}

/** Like `judge`. A green runner of suites without any test has lost its report, so that is a failure too. */
export function judgeSuites(
  counted: Totals,
  failures: readonly string[],
  isGreen: boolean,
): { readonly totals: Totals; readonly failed: readonly string[] } {
  const isSilent = isGreen && counted.passed + counted.failed + counted.skipped === 0;
  if (!isSilent) return { totals: judge(counted, isGreen), failed: failures };
  return { totals: { ...noTests, failed: 1 }, failed: ["the runner is green, but told of no test"] };
}

/** Reads a file that `tellTotals` wrote. */
export function totalsOfFile(text: string): { readonly totals: Totals; readonly failed: readonly string[] } {
  const lines = text.split("\n");
  const sums = lines.filter((line) => /^\d+ \d+ \d+$/.test(line)).map((line) => line.split(" ").map(Number));
  return {
    totals: sumTotals(sums.map(([passed = 0, failed = 0, skipped = 0]) => ({ passed, failed, skipped }))),
    failed: lines.filter((line) => line.startsWith("FAILED: ")).map((line) => line.slice("FAILED: ".length)),
  };
}

/** Prints the last lines of a target: the failures, if any, and the sums. */
export function tellTotals({ passed, failed, skipped }: Totals, failures: readonly string[] = []): void {
  const named = failures.map((failure) => `FAILED: ${failure}\n`).join("");
  const file = process.env.STEERSMAN_TEST_TOTALS;
  if (file !== undefined) appendFileSync(file, `${passed} ${failed} ${skipped}\n${named}`);
  process.stdout.write(`${named}${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}
