import { describe, expect, it } from "vitest";
import { amountAt, parseCurve, usageOf } from "./usage.ts";

const milli = (text: string): ReturnType<typeof parseCurve> => parseCurve(text, (quantity) => quantity.milliValue());

describe("usage of simulated containers", () => {
  it("is one amount, or follows a curve", () => {
    expect(amountAt(milli("200m"), 5000)).toBe(200);
    const curve = milli("0s=100m 1m=400m 2m=0");
    const at = [0, 30_000, 60_000, 90_000, 120_000, 999_000].map((ms) => amountAt(curve, ms));
    expect(at).toEqual([100, 250, 400, 200, 0, 0]);
    expect(amountAt(milli("10s=1 20s=3"), 0)).toBe(1000);
  });

  it.each([
    ["", "quantities must match the regular expression"],
    ["0s", "quantities must match the regular expression"],
    ["0s=1 1m", '"1m" is not of the form TIME=AMOUNT'],
    ["1m=1 0s=2", "the times must not be negative, and must increase"],
    ["-1s=1", "the times must not be negative, and must increase"],
    ["x=1", 'time: invalid duration "x"'],
    ["-1", '"-1" is negative'],
  ])("refuses %j", (text, problem) => {
    expect(() => milli(text)).toThrow(problem);
  });

  it("is a tenth of the request without a curve, and little without a request", () => {
    const resources = { requests: { cpu: "2", memory: "1Gi" } };
    const text = (usage: ReturnType<typeof usageOf>): string => `${usage.cpu} ${usage.memory}`;
    expect(text(usageOf({ name: "a", resources }, {}, 0))).toBe("200m 104858Ki");
    expect(text(usageOf({ name: "a" }, {}, 0))).toBe("1m 16Mi");
    expect(text(usageOf({ name: "a", resources }, { cpu: milli("0s=0 10s=1") }, 5000))).toBe("500m 104858Ki");
  });
});
