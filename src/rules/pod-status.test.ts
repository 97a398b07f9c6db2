import { describe, expect, it } from "vitest";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { isPodActive, isPodAvailable, isPodTerminating, nextAvailabilityCheckMs } from "./pod-status.ts";

const NOW = Date.UTC(2026, 0, 1);

/** Ready for this many seconds; false: not ready; "unknown": without a transition time. */
function pod(readyFor: number | false | "unknown"): Pod {
  const since = typeof readyFor === "number" ? { lastTransitionTime: formatTime(NOW - readyFor * 1000) } : {};
  return { status: { conditions: [{ type: "Ready", status: readyFor === false ? "False" : "True", ...since }] } };
}

describe("the life of a pod", () => {
  const gone = { deletionTimestamp: formatTime(NOW) };
  const cases: readonly { readonly phase?: string; readonly isDeleted?: boolean; readonly is: string }[] = [
    { is: "active" },
    { phase: "Pending", is: "active" },
    { phase: "Running", is: "active" },
    { phase: "Unknown", is: "active" },
    { phase: "Succeeded", is: "neither" },
    { phase: "Failed", is: "neither" },
    { phase: "Pending", isDeleted: true, is: "terminating" },
    { phase: "Running", isDeleted: true, is: "terminating" },
    { phase: "Succeeded", isDeleted: true, is: "neither" },
    { phase: "Failed", isDeleted: true, is: "neither" },
  ];
  for (const { phase, isDeleted, is } of cases) {
    it(`workloads/S19 ${phase ?? "no phase"}${isDeleted ? ", deleted" : ""}: ${is}`, () => {
      const one: Pod = { metadata: isDeleted ? gone : {}, status: phase === undefined ? {} : { phase } };
      expect(isPodActive(one)).toBe(is === "active");
      expect(isPodTerminating(one)).toBe(is === "terminating");
    });
  }
});

describe("availability", () => {
  const cases: readonly {
    readonly what: string;
    readonly readyFor: number | false | "unknown";
    readonly min: number;
    readonly isAvailable: boolean;
    /** Seconds until the next check. */
    readonly next: number | undefined;
  }[] = [
    { what: "not ready", readyFor: false, min: 0, isAvailable: false, next: undefined },
    { what: "ready is enough", readyFor: 0, min: 0, isAvailable: true, next: undefined },
    { what: "ready, nobody knows since when", readyFor: "unknown", min: 0, isAvailable: true, next: undefined },
    { what: "no time to count from", readyFor: "unknown", min: 1, isAvailable: false, next: undefined },
    { what: "just ready", readyFor: 0, min: 1, isAvailable: false, next: 1 },
    { what: "ready for a while", readyFor: 20, min: 30, isAvailable: false, next: 10 },
    { what: "ready for exactly as long", readyFor: 30, min: 30, isAvailable: true, next: undefined },
    { what: "ready for longer", readyFor: 51, min: 50, isAvailable: true, next: undefined },
  ];
  for (const { what, readyFor, min, isAvailable, next } of cases) {
    it(`workloads/S20 ${what}`, () => {
      expect(isPodAvailable(pod(readyFor), min, NOW)).toBe(isAvailable);
      const nextMs = nextAvailabilityCheckMs([pod(readyFor)], min, NOW, NOW);
      expect(nextMs).toBe(next === undefined ? undefined : next * 1000);
    });
  }

  const several = [pod(false), pod(2), pod(0), pod(4), pod(false)];
  it("workloads/S20 the first of several, as the clock says after the status was written, and at once when it is late", () => {
    expect(nextAvailabilityCheckMs(several, 10, NOW, NOW)).toBe(6_000);
    expect(nextAvailabilityCheckMs(several, 10, NOW, NOW + 2_000)).toBe(4_000);
    expect(nextAvailabilityCheckMs(several, 10, NOW, NOW + 7_000)).toBe(0);
  });

  it("workloads/S20 nothing to wait for when all are available or not ready", () => {
    expect(nextAvailabilityCheckMs([], 10, NOW, NOW)).toBeUndefined();
    expect(nextAvailabilityCheckMs([pod(false), pod(15), pod(11), pod(10)], 10, NOW, NOW)).toBeUndefined();
  });
});
