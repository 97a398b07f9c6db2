import { expect, it } from "vitest";
import {
  failuresOfJunit,
  failuresOfVitest,
  judge,
  judgeSuites,
  noTests,
  secondsOfJunit,
  secondsOfVitest,
  sumTotals,
  totalsOfFile,
  totalsOfJunit,
  totalsOfVitest,
} from "./test-totals.ts";

it("reads the sums of a JUnit report, not those of its suites", () => {
  const xml = `<?xml version="1.0"?>
<testsuites name="bun test" tests="5" assertions="9" failures="1" skipped="2" time="12.0">
  <testsuite name="a" tests="4" failures="1" skipped="2" />`;
  expect(totalsOfJunit(xml)).toEqual({ passed: 2, failed: 1, skipped: 2 });
});

it("reads a vitest report", () => {
  const report = { numTotalTests: 7, numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 };
  expect(totalsOfVitest(JSON.stringify(report))).toEqual({ passed: 3, failed: 1, skipped: 3 });
});

it("names each failure with its reason in one line", () => {
  const xml = `<testsuite name="in">
    <testcase name="fails &amp; &quot;q&quot;" classname="in" time="0.1" file="a.test.ts" line="2" assertions="1">
      <failure type="AssertionError" message="expect(a).toBe(b)&#10;&#10;Expected: 2&#10;">trace</failure>
    </testcase>
    <testcase name="passes" classname="in" time="0.1" file="a.test.ts" line="3" assertions="1" />`;
  expect(failuresOfJunit(xml)).toEqual(['a.test.ts: fails & "q": expect(a).toBe(b) Expected: 2']);
  const report = {
    testResults: [
      {
        name: "b.test.ts",
        assertionResults: [
          { fullName: "passes", status: "passed", failureMessages: [] },
          { fullName: "fails", status: "failed", failureMessages: ["Error: boom\n  at b.test.ts:1"] },
        ],
      },
    ],
  };
  expect(failuresOfVitest(JSON.stringify(report))).toEqual(["b.test.ts: fails: Error: boom at b.test.ts:1"]);
});

it("reads how long each file took", () => {
  const xml = `<testsuite name="a.test.ts" file="a.test.ts" tests="4" time="1.25" hostname="x">
    <testsuite name="in" file="a.test.ts" line="1" tests="4" time="1.0">`;
  expect([...secondsOfJunit(xml)]).toEqual([["a.test.ts", 1.25]]);
  const report = { testResults: [{ name: `${process.cwd()}/b.test.ts`, startTime: 1000, endTime: 3500 }] };
  expect([...secondsOfVitest(JSON.stringify(report))]).toEqual([["b.test.ts", 2.5]]);
});

it("counts a runner that fails without a failed test as one failure", () => {
  expect(judge(noTests, false).failed).toBe(1);
  expect(judge({ passed: 4, failed: 2, skipped: 0 }, false).failed).toBe(2);
  expect(judge({ passed: 4, failed: 0, skipped: 0 }, true).failed).toBe(0);
});

it("counts a green runner without any test as a failure", () => {
  expect(judgeSuites(noTests, [], true)).toEqual({
    totals: { passed: 0, failed: 1, skipped: 0 },
    failed: ["the runner is green, but told of no test"],
  });
  const counted = { passed: 1, failed: 0, skipped: 0 };
  expect(judgeSuites(counted, [], true)).toEqual({ totals: counted, failed: [] });
  expect(judgeSuites(noTests, ["a"], false)).toEqual({ totals: { ...noTests, failed: 1 }, failed: ["a"] });
});

it("reads the totals that a program wrote", () => {
  expect(totalsOfFile("3 1 0\nFAILED: a: b\n2 0 1\n")).toEqual({
    totals: { passed: 5, failed: 1, skipped: 1 },
    failed: ["a: b"],
  });
});

it("sums", () => {
  expect(sumTotals([])).toEqual(noTests);
  expect(
    sumTotals([
      { passed: 1, failed: 2, skipped: 3 },
      { passed: 10, failed: 20, skipped: 30 },
    ]),
  ).toEqual({
    passed: 11,
    failed: 22,
    skipped: 33,
  });
});
