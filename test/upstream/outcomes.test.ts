import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { knownToFail, leftOut, type Outcome, outcomesOf, verdictOn } from "./outcomes.ts";

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "recorded/outcomes.json"), "utf8"),
) as readonly Outcome[];

it("machinery/7.n1, machinery/8.r12 upstream's own tests of the API machinery pass, except those with a known reason", () => {
  const { passed, surprises, known, mended } = verdictOn(recorded);
  expect({ surprises, mended }).toEqual({ surprises: [], mended: [] });
  expect(known).toHaveLength(knownToFail.length);
  expect(passed).toBeGreaterThanOrEqual(100);
  expect(recorded.filter(({ name }) => leftOut.some(([where]) => where.test(name)))).toEqual([]);
});

it("reads the runner's reports: the tests that ran, by full name", () => {
  const spec = { LeafNodeType: "It", ContainerHierarchyTexts: ["[sig-a] B"], LeafNodeText: "should c" };
  const reports = [
    {
      SpecReports: [
        { ...spec, State: "passed" },
        { ...spec, LeafNodeText: "is skipped", State: "skipped" },
        { ...spec, LeafNodeType: "BeforeSuite", State: "passed" },
      ],
    },
    { SpecReports: [{ ...spec, LeafNodeText: "fails", State: "panicked", Failure: { Message: "why" } }] },
    { SpecReports: null },
  ];
  const outcomes = outcomesOf(reports);
  expect(outcomes).toEqual([
    { name: "[sig-a] B fails", isPassed: false, message: "why" },
    { name: "[sig-a] B should c", isPassed: true },
  ]);
  expect(verdictOn(outcomes)).toEqual({ passed: 1, surprises: [outcomes[0]], known: [], mended: [] });
});
