import { describe, expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import { Expectations, TrackingExpectations } from "./expectations.ts";

const KEY = "ns/owner";

describe("workloads/tests expectations", () => {
  it("machinery/5.7.1, workloads/S6 are met when never set, when all was seen, and after five minutes", async () => {
    const clock = testClock();
    const expectations = new Expectations(clock);
    expect(expectations.areMet(KEY)).toBe(true);
    expectations.expectCreations(KEY, 2);
    expectations.creationObserved(KEY);
    expect(expectations.areMet(KEY)).toBe(false);
    expectations.creationObserved(KEY);
    expect(expectations.areMet(KEY)).toBe(true);
    expectations.creationObserved(KEY);
    expect(expectations.areMet(KEY)).toBe(true);

    expectations.expectDeletions(KEY, 1);
    await clock.advance(5 * 60_000);
    expect(expectations.areMet(KEY)).toBe(false);
    await clock.advance(1);
    expect(expectations.areMet(KEY)).toBe(true);
  });

  it("machinery/5.7.2, workloads/S6 setting overwrites; raising or lowering without an entry does nothing", () => {
    const expectations = new Expectations(testClock());
    expectations.raise(KEY, 1, 1);
    expectations.creationObserved(KEY);
    expectations.deletionObserved(KEY);
    expect(expectations.areMet(KEY)).toBe(true);
    expectations.expectCreations(KEY, 5);
    expectations.expectDeletions(KEY, 1);
    expectations.deletionObserved(KEY);
    expect(expectations.areMet(KEY)).toBe(true);
    expectations.raise(KEY, 1, 0);
    expect(expectations.areMet(KEY)).toBe(false);
  });

  it("machinery/5.7.3, workloads/S7 a deletion announced twice counts once, and an unexpected one not at all", () => {
    const expectations = new TrackingExpectations(testClock());
    expectations.expectDeletions(KEY, ["ns/a", "ns/b"]);
    expectations.deletionObserved(KEY, "ns/a");
    expectations.deletionObserved(KEY, "ns/a");
    expectations.deletionObserved(KEY, "ns/c");
    expect(expectations.areMet(KEY)).toBe(false);
    expectations.deletionObserved(KEY, "ns/b");
    expect(expectations.areMet(KEY)).toBe(true);
  });

  it("workloads/S6 creations and deletions are counted apart, and may fall below zero", () => {
    const expectations = new Expectations(testClock());
    expectations.expect(KEY, 10, 30);
    expectations.creationObserved(KEY, 11);
    expect(expectations.areMet(KEY)).toBe(false);
    expectations.deletionObserved(KEY, 31);
    expect(expectations.areMet(KEY)).toBe(true);
    expectations.raise(KEY, 1, 1); // back to zero: the early event was not lost
    expect(expectations.areMet(KEY)).toBe(true);
    expectations.raise(KEY, 1, 0);
    expect(expectations.areMet(KEY)).toBe(false);
  });

  it("workloads/S6 setting restarts the five minutes, observing does not", async () => {
    const clock = testClock();
    const expectations = new Expectations(clock);
    expectations.expectCreations(KEY, 3);
    await clock.advance(4 * 60_000);
    expectations.expectCreations(KEY, 3);
    await clock.advance(4 * 60_000);
    expectations.creationObserved(KEY);
    expect(expectations.areMet(KEY)).toBe(false);
    await clock.advance(60_001);
    expect(expectations.areMet(KEY)).toBe(true);
  });

  it("workloads/S7 plain counters have no names: the same deletion counts each time", () => {
    const expectations = new Expectations(testClock());
    expectations.expectDeletions(KEY, 2);
    expectations.deletionObserved(KEY);
    expectations.deletionObserved(KEY);
    expect(expectations.areMet(KEY)).toBe(true);
  });

  it("workloads/S7 creations are only counted, one by one or several at once", () => {
    const expectations = new TrackingExpectations(testClock());
    expectations.expectCreations(KEY, 4);
    expectations.creationObserved(KEY);
    expectations.creationObserved(KEY, 2);
    expect(expectations.areMet(KEY)).toBe(false);
    expectations.creationObserved(KEY);
    expect(expectations.areMet(KEY)).toBe(true);
  });

  it("workloads/S8 a forgotten owner starts clean", () => {
    const expectations = new TrackingExpectations(testClock());
    expectations.expectDeletions(KEY, ["ns/a"]);
    expectations.forget(KEY);
    expect(expectations.areMet(KEY)).toBe(true);
  });
});
