import { describe, expect, it } from "vitest";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import { stored } from "#api/testing.ts";
import { noMetrics } from "#base/metrics.ts";
import { testClock } from "#base/testing.ts";
import { KeyQueue } from "#kit/key-queue.ts";
import { type EndpointSlice, MANAGED_BY, SERVICE_NAME } from "./model.ts";
import { sliceTriggers } from "./slice-triggers.ts";
import { SliceTracker, StaleSlices } from "./tracker.ts";

const OURS = "ours";

function slice(generation: number, labels: Record<string, string> = {}, name = "web-1"): EndpointSlice {
  return stored(EndpointSlices, {
    metadata: { name, generation, labels: { [SERVICE_NAME]: "web", [MANAGED_BY]: OURS, ...labels } },
    addressType: "IPv4",
  });
}

/** The keys that the event queues. */
function queuedBy(
  event: (triggers: ReturnType<typeof sliceTriggers>) => void,
  known?: EndpointSlice,
): readonly string[] {
  const keys: string[] = [];
  const trace = {
    queued: (_: string, key: string) => void keys.push(key),
    started: () => undefined,
    finished: () => undefined,
  };
  const context = { clock: testClock(), metrics: noMetrics, trace };
  const queue = new KeyQueue({ context, controller: "test", name: "" });
  const tracker = new SliceTracker();
  if (known !== undefined) tracker.wrote(known);
  event(sliceTriggers({ queue, tracker, managedBy: OURS, afterMs: 1000 }));
  return keys;
}

describe("events of slices", () => {
  it("endpointslice/1 changes of its slices by others queue their Service, its own writes do not", () => {
    expect(queuedBy((on) => on.onAdd?.(slice(1), false))).toEqual(["ns/web"]);
    expect(queuedBy((on) => on.onAdd?.(slice(1), false), slice(1))).toEqual([]);
    expect(queuedBy((on) => on.onUpdate?.(slice(1), slice(2)), slice(2))).toEqual([]);
    expect(queuedBy((on) => on.onUpdate?.(slice(1), slice(2)), slice(1))).toEqual(["ns/web"]);
  });

  it("endpointslice/1 a slice of another manager queues nothing, one that changes its manager does", () => {
    const foreign = slice(2, { [MANAGED_BY]: "theirs" });
    expect(queuedBy((on) => on.onAdd?.(foreign, false))).toEqual([]);
    expect(queuedBy((on) => on.onUpdate?.(slice(1), foreign), slice(1))).toEqual(["ns/web"]);
    expect(queuedBy((on) => on.onUpdate?.(foreign, slice(3)), slice(9))).toEqual(["ns/web"]);
  });

  it("endpointslice/1 a slice that changes its Service concerns both", () => {
    const moved = slice(2, { [SERVICE_NAME]: "api" });
    expect(queuedBy((on) => on.onUpdate?.(slice(1), moved), slice(9)).toSorted()).toEqual(["ns/api", "ns/web"]);
  });

  it("endpointslice/1 a deletion that was not expected concerns the Service of a tracked slice", () => {
    expect(queuedBy((on) => on.onDelete?.(slice(1), false), slice(1))).toEqual(["ns/web"]);
    expect(queuedBy((on) => on.onDelete?.(slice(1), false))).toEqual([]);
  });
});

describe("the tracker of slices", () => {
  const stale = (tracker: SliceTracker, ...slices: readonly EndpointSlice[]): boolean => {
    try {
      tracker.refuseStale("ns/web", slices);
      return false;
    } catch (error) {
      expect(error).toBeInstanceOf(StaleSlices);
      return true;
    }
  };

  it("endpointslice/4 refuses slices older than written, slices that were deleted, and missing ones", () => {
    const tracker = new SliceTracker();
    expect(stale(tracker, slice(1))).toBe(false);
    tracker.wrote(slice(2));
    expect(stale(tracker, slice(1))).toBe(true);
    expect(stale(tracker, slice(2))).toBe(false);
    expect(stale(tracker)).toBe(true);
    tracker.expectDeletion(slice(2));
    expect(stale(tracker, slice(2))).toBe(true);
    expect(stale(tracker)).toBe(false);
    expect(tracker.wasExpected(slice(2))).toBe(true);
    tracker.forget("ns/web");
    expect(stale(tracker, slice(1))).toBe(false);
  });
});
