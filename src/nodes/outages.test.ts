import { describe, expect, it } from "vitest";
import { lostBeforeMs, type Outage, outageAt } from "./outages.ts";

const failure: Outage = { fromMs: 10, toMs: 20, losesContainers: true };
const partition: Outage = { fromMs: 30, losesContainers: false };
const outages = [failure, partition];

describe("outages of a node", () => {
  it.each([
    [9, undefined],
    [10, failure],
    [19, failure],
    [20, undefined],
    [30, partition],
    [1e9, partition],
  ])("at %d", (atMs, outage) => {
    expect(outageAt(outages, atMs)).toBe(outage);
  });

  it.each([
    [19, Number.NEGATIVE_INFINITY],
    [20, 10],
    [1e9, 10],
  ])("lose containers with a failure, once it is over: at %d", (atMs, lost) => {
    expect(lostBeforeMs(outages, atMs)).toBe(lost);
  });
});
