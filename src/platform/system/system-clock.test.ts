import { describe, expect, it } from "vitest";
import { clockContract } from "#base/clock.contract.ts";
import { VirtualClock } from "#base/virtual-clock.ts";
import { systemClock, systemTurn } from "./system-clock.ts";

clockContract("the system clock", () => ({ clock: systemClock, drive: (promise) => promise }));

describe("the system clock", () => {
  it("tells wall time that agrees with the host's to the millisecond", () => {
    for (let i = 0; i < 100; i++) {
      const before = Date.now();
      const now = systemClock.now();
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThan(Date.now() + 1);
    }
  });

  it("gives fractions of a millisecond", () => {
    const readings = Array.from({ length: 1000 }, () => systemClock.now());
    expect(readings.some((ms) => !Number.isInteger(ms))).toBe(true);
  });

  it("lends its turn to a virtual clock", async () => {
    const clock = new VirtualClock({ turn: systemTurn });
    let hasFired = false;
    clock.after(3_600_000, () => {
      hasFired = true;
    });
    await clock.run("idle");
    expect(hasFired).toBe(true);
  });
});
