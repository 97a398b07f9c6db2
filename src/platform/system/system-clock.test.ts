import { describe, expect, it } from "vitest";
import { clockContract } from "#base/clock.contract.ts";
import { VirtualClock } from "#base/virtual-clock.ts";
import { systemClock, systemTurn } from "./system-clock.ts";

clockContract("the system clock", () => ({ clock: systemClock, drive: (promise) => promise }));

describe("the system clock", () => {
  it("returns wall time that agrees with the host's to the millisecond", () => {
    for (let i = 0; i < 100; i++) {
      const before = Date.now();
      const now = systemClock.now();
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThan(Date.now() + 1);
    }
  });

  it("returns fractions of a millisecond", () => {
    const readings = Array.from({ length: 1000 }, () => systemClock.now());
    expect(readings.some((ms) => !Number.isInteger(ms))).toBe(true);
  });

  it("token-cleaner/traps waits for longer than a host timer can", async () => {
    let fired = 0;
    using long = systemClock.after(2 ** 31 + 1000, () => fired++);
    using tooLong = systemClock.after(2 ** 40, () => fired++);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([fired, long.isPending, tooLong.isPending]).toEqual([0, true, true]);
  });

  it("provides turns for a virtual clock", async () => {
    const clock = new VirtualClock({ turn: systemTurn });
    let hasFired = false;
    clock.after(3_600_000, () => {
      hasFired = true;
    });
    await clock.run("idle");
    expect(hasFired).toBe(true);
  });
});
