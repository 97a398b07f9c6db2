import { describe, expect, it } from "vitest";
import { behaviourOf } from "./behaviour.ts";

const pod = (restartPolicy: string, given: Record<string, string> = {}) => ({
  metadata: {
    annotations: Object.fromEntries(Object.entries(given).map(([name, text]) => [`sim.steersman.dev/${name}`, text])),
  },
  spec: { containers: [], restartPolicy },
});

describe("the behaviour of a simulated pod", () => {
  it.each([
    ["serves for ever", pod("Always"), { startMs: 300, exitCode: 0, isImageMissing: false, isReady: true, usage: {} }],
    [
      "has work that ends",
      pod("Never"),
      { startMs: 300, runMs: 1000, exitCode: 0, isImageMissing: false, isReady: true, usage: {} },
    ],
    [
      "is what its annotations say",
      pod("OnFailure", {
        "start-after": "2s",
        "run-for": "1m",
        "exit-code": "3",
        "image-pull-error": "true",
        "not-ready": "true",
        cpu: "0s=1 1m=2",
      }),
      {
        startMs: 2000,
        runMs: 60_000,
        exitCode: 3,
        isImageMissing: true,
        isReady: false,
        usage: {
          cpu: [
            { atMs: 0, amount: 1000 },
            { atMs: 60_000, amount: 2000 },
          ],
        },
      },
    ],
  ])("%s", (_, given, expected) => {
    expect(behaviourOf(given, 300)).toEqual(expected);
  });

  it("starts with a jitter that is always the same for a pod", () => {
    const startOf = (uid: string) => {
      const given = pod("Always", { "start-after": "1s", "start-jitter": "10s" });
      return behaviourOf({ ...given, metadata: { ...given.metadata, uid } }, 300).startMs;
    };
    const starts = ["a", "b", "c"].map(startOf);
    expect(starts).toEqual(["a", "b", "c"].map(startOf));
    expect(new Set(starts).size).toBe(3);
    expect(starts.every((ms) => ms >= 1000 && ms < 11_000)).toBe(true);
  });

  it.each([
    [{ "flap-every": "0s" }, "annotation sim.steersman.dev/flap-every: must not be zero"],
    [{ "run-for": "soon" }, 'annotation sim.steersman.dev/run-for: time: invalid duration "soon"'],
    [{ "run-for": "-1s" }, 'annotation sim.steersman.dev/run-for: must not be negative: "-1s"'],
    [{ "exit-code": "256" }, 'annotation sim.steersman.dev/exit-code: must be a number from 0 to 255: "256"'],
    [{ memory: "lots" }, "annotation sim.steersman.dev/memory: quantities must match the regular expression"],
    [{ "not-ready": "no" }, 'annotation sim.steersman.dev/not-ready: must be "true" or "false": "no"'],
  ])("refuses %o", (given, message) => {
    expect(() => behaviourOf(pod("Always", given), 300)).toThrow(message);
  });
});
