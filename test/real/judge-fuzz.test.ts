// The same random requests to both servers, from fixed seeds. `make judge-fuzz` sends more.

import { beforeAll, expect, it } from "vitest";
import { type AnswerCount, type Disagreement, type FuzzReport, fuzz } from "#test/judge/fuzz.ts";
import { merged } from "#test/judge/fuzz-report.ts";
import { moreSettings } from "#test/judge/judge-flags.ts";
import { classOf, knownDifferences } from "#test/judge/known-differences.ts";
import { useJudgeStage } from "./judge-stage.ts";
import { describeReal } from "./suite.ts";

const SEEDS = ["one", "two", "three"];
const REQUESTS = 1_000;
const AGREEMENT_MIN = 0.98;

describeReal("fuzzed requests", () => {
  const stage = useJudgeStage(undefined, moreSettings);
  const reports: FuzzReport[] = [];
  beforeAll(async () => {
    const { embedded, real } = stage();
    for (const seed of SEEDS) {
      reports.push(await fuzz(embedded, real, { seed, requests: REQUESTS, namespace: `fuzz-${seed}` }));
    }
  }, 600_000);

  const counts = (): ({ verb: string } & AnswerCount)[] =>
    [...merged(reports).verbs].map(([verb, count]) => ({ verb, ...count }));
  const disagreements = (): Disagreement[] => reports.flatMap((report) => report.disagreements);

  it("get the same answers, verb by verb", () => {
    const low = counts().filter(({ requests, agreedInWords }) => agreedInWords < AGREEMENT_MIN * requests);
    expect(low).toEqual([]);
    expect(counts().length).toBeGreaterThanOrEqual(12);
  });

  it("succeed at least half of the time on the real server, verb by verb", () => {
    expect(counts().filter(({ requests, succeeded }) => succeeded < requests / 2)).toEqual([]);
  });

  it("never fail where the real server refuses", () => {
    expect(reports.flatMap((report) => report.failures)).toEqual([]);
  });

  it("differ only for documented reasons, each of which still occurs", () => {
    expect(disagreements().filter((each) => classOf(each) === undefined)).toEqual([]);
    const happened = new Set(disagreements().map(classOf));
    expect(knownDifferences.filter((known) => !happened.has(known))).toEqual([]);
  });
});
