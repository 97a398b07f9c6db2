import { describe, expect, it } from "vitest";
import { type LongRun, problemsOf, rssGrowth } from "./verdict.ts";

const counts = {
  rssMegabytes: 150,
  cached: 5000,
  sockets: 60,
  timers: 100,
  maps: 4000,
  sets: 900,
  eventAggregates: 100,
  promises: 500,
  queued: 0,
};
const good: LongRun = {
  start: counts,
  end: { ...counts, maps: 4100 },
  rssMegabytes: [150, 155, 160, 152, 154, 156],
  stallsMs: [90, 40],
  cacheDifferences: [],
  leaseTransitions: 0,
};

describe("the verdict on a long run", () => {
  it("finds no fault in a run without growth", () => expect(problemsOf(good)).toEqual([]));

  it.each([
    { what: { end: { ...counts, timers: 200 } }, problem: "timers grew from 100 to 200" },
    { what: { end: { ...counts, queued: 3 } }, problem: "3 keys wait in queues" },
    { what: { rssMegabytes: [150, 150, 160, 160, 190, 210] }, problem: "resident memory grew by 25 %" },
    { what: { stallsMs: [250, 90] }, problem: "a stall of 250 ms" },
    { what: { cacheDifferences: ["pods: a/b"] }, problem: "pods: a/b" },
    { what: { leaseTransitions: 1 }, problem: "the lease changed hands 1 times" },
  ])("says: $problem", ({ what, problem }) => expect(problemsOf({ ...good, ...what })).toEqual([problem]));

  it("compares the last third with the one before", () =>
    expect(rssGrowth([50, 50, 100, 100, 110, 110])).toBeCloseTo(0.1));
});
