import { describe, expect, it } from "vitest";
import { behaviourOf } from "./behaviour.ts";
import type { Place } from "./places.ts";

const pod = (restartPolicy: string, given: Record<string, string> = {}) => ({
  metadata: {
    annotations: Object.fromEntries(Object.entries(given).map(([name, text]) => [`sim.steersman.dev/${name}`, text])),
  },
  spec: { containers: [], restartPolicy },
});

const main: Place = { container: { name: "main" }, role: "main" };
const migrate: Place = { container: { name: "migrate" }, role: "init" };
const proxy: Place = { container: { name: "proxy" }, role: "sidecar" };
const usual = { exitCode: 0, isImageMissing: false, isReady: true, probesFailMs: 0 };

describe("the behaviour of a simulated pod", () => {
  it.each([
    ["serves for ever", "Always", main, usual],
    ["has work that ends", "Never", main, { ...usual, runMs: 1000 }],
    ["has init containers that end at once", "Always", migrate, { ...usual, runMs: 0 }],
    ["has sidecars that do not end", "Never", proxy, usual],
  ])("%s", (_, restartPolicy, place, expected) => {
    const behaviour = behaviourOf(pod(restartPolicy), 300);
    expect([behaviour.startMs, behaviour.stopMs, behaviour.usage]).toEqual([300, undefined, {}]);
    expect(behaviour.of(place)).toEqual(expected);
  });

  it("follows its annotations: for all containers except init containers, and for one by its name", () => {
    const given = pod("OnFailure", {
      "start-after": "2s",
      "stop-after": "10s",
      "run-for": "1m migrate=5s",
      "exit-code": "3 proxy=4",
      "image-pull-error": "true",
      "not-ready": "true",
      "flap-every": "main=20s",
      "probes-fail-for": "proxy=30s",
      "liveness-fails-after": "2m",
      cpu: "0s=1 1m=2",
    });
    const behaviour = behaviourOf(given, 300);
    const cpu = [
      { atMs: 0, amount: 1000 },
      { atMs: 60_000, amount: 2000 },
    ];
    expect([behaviour.startMs, behaviour.stopMs, behaviour.usage]).toEqual([2000, 10_000, { cpu }]);
    expect(behaviour.of(main)).toEqual({
      runMs: 60_000,
      exitCode: 3,
      isImageMissing: true,
      isReady: false,
      flapMs: 20_000,
      probesFailMs: 0,
      livenessFailsAfterMs: 120_000,
    });
    expect(behaviour.of(migrate)).toEqual({ ...usual, runMs: 5000 });
    expect(behaviour.of(proxy)).toEqual({ ...usual, exitCode: 4, probesFailMs: 30_000 });
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
    [{ exitcode: "1" }, "annotation sim.steersman.dev/exitcode: unknown; known are start-after, start-jitter,"],
    [{ "flap-every": "0s" }, "annotation sim.steersman.dev/flap-every: must not be zero"],
    [{ "run-for": "soon" }, 'annotation sim.steersman.dev/run-for: time: invalid duration "soon"'],
    [{ "run-for": "-1s" }, 'annotation sim.steersman.dev/run-for: must not be negative: "-1s"'],
    [{ "exit-code": "256" }, 'annotation sim.steersman.dev/exit-code: must be a number from 0 to 255: "256"'],
    [{ "exit-code": "migrate=x" }, 'annotation sim.steersman.dev/exit-code: must be a number from 0 to 255: "x"'],
    [{ "exit-code": "1 2" }, "annotation sim.steersman.dev/exit-code: has more than one value for all containers"],
    [{ "exit-code": "a=1 a=2" }, "annotation sim.steersman.dev/exit-code: has more than one value for a"],
    [{ memory: "lots" }, "annotation sim.steersman.dev/memory: quantities must match the regular expression"],
    [{ "not-ready": "no" }, 'annotation sim.steersman.dev/not-ready: must be "true" or "false": "no"'],
  ])("refuses %o", (given, message) => {
    expect(() => behaviourOf(pod("Always", given), 300)).toThrow(message);
  });
});
