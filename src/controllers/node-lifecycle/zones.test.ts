import { describe, expect, it } from "vitest";
import type { NodeCondition } from "#api/generated/types/core-v1.ts";
import { healthOfZone, zoneOf } from "./zones.ts";

const ready = (count: number): NodeCondition[] =>
  Array.from({ length: count }, () => ({ type: "Ready", status: "True" }));
const failed = (count: number): (NodeCondition | undefined)[] =>
  Array.from({ length: count }, (_, i) =>
    i === 0 ? undefined : { type: "Ready", status: i % 2 ? "False" : "Unknown" },
  );

describe("zones", () => {
  it.each([
    [{}, ""],
    [{ "topology.kubernetes.io/zone": "a" }, ":\0:a"],
    [{ "topology.kubernetes.io/region": "r" }, "r:\0:"],
    [{ "topology.kubernetes.io/region": "r", "topology.kubernetes.io/zone": "a" }, "r:\0:a"],
    [{ "failure-domain.beta.kubernetes.io/zone": "old", "topology.kubernetes.io/zone": "new" }, ":\0:old"],
    [{ "failure-domain.beta.kubernetes.io/region": "old", "topology.kubernetes.io/region": "new" }, "old:\0:"],
  ])("node-lifecycle/7 of labels %j", (labels, zone) => {
    expect(zoneOf({ metadata: { labels } })).toBe(zone);
  });

  it.each([
    [0, 0, "Normal"],
    [1, 0, "Normal"],
    [0, 1, "FullDisruption"],
    [0, 9, "FullDisruption"],
    [1, 2, "Normal"],
    [1, 3, "PartialDisruption"],
    [9, 11, "PartialDisruption"],
    [10, 11, "Normal"],
    [2, 3, "PartialDisruption"],
    [3, 3, "Normal"],
  ])("node-lifecycle/12 with %d ready and %d other nodes is in state %s", (up, down, state) => {
    const conditions = [...ready(up), ...failed(down)];
    expect(healthOfZone(conditions, 0.55)).toEqual({ size: up + down, unhealthy: down, state });
  });
});
