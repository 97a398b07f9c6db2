import { describe, expect, it } from "vitest";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { graceSeconds, secondsLeft } from "./grace.ts";

const pod = (phase: NonNullable<NonNullable<Pod["status"]>["phase"]>, terminationGracePeriodSeconds?: number): Pod => ({
  spec: { containers: [], ...(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds }) },
  status: { phase },
});
const DELETED_AT = "2026-01-01T00:00:00Z";
const DELETED_MS = Date.UTC(2026, 0, 1);

describe("the time that pods are given", () => {
  it("namespace/9 is the longest grace period of a pod that has not ended", () => {
    expect(graceSeconds([])).toBe(0);
    expect(graceSeconds([pod("Running", 30), pod("Pending", 45), pod("Unknown")])).toBe(45);
    expect(graceSeconds([pod("Running", 5), pod("Succeeded", 30), pod("Failed", 60)])).toBe(5);
  });

  it.each([
    [0, 30],
    [29_999, 30],
    [30_000, 0],
    [90_000, 0],
  ])("namespace/9 after %i ms of 30 s is %i s", (passedMs, left) => {
    expect(secondsLeft(30, DELETED_AT, DELETED_MS + passedMs)).toBe(left);
  });

  it("namespace/9 is zero without pods, at any time", () => {
    expect(secondsLeft(0, DELETED_AT, DELETED_MS)).toBe(0);
  });

  it("namespace/9 is zero beyond the longest duration of Go", () => {
    expect(secondsLeft(9_223_372_036, DELETED_AT, DELETED_MS)).toBe(9_223_372_036);
    expect(secondsLeft(9_999_999_999, DELETED_AT, DELETED_MS)).toBe(0);
  });
});
