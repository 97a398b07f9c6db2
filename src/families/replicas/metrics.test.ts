import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { formatTime } from "#api/time.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { observeDeletionAges, registerReplicaMetrics } from "./metrics.ts";

const NOW = Date.UTC(2026, 0, 1);

const pod = (ageMs: number, isReady = true): ObjectOf<typeof Pods> =>
  stored(Pods, {
    metadata: { name: "pod", creationTimestamp: formatTime(NOW - ageMs) },
    ...(isReady ? { status: { conditions: [{ type: "Ready", status: "True" }] } } : {}),
  });

describe("the metrics of the replica engine", () => {
  it("replicaset/metrics the age of deleted pods, in whole multiples of the youngest; only ready pods count", () => {
    const registry = new MetricRegistry({ version: "1.36.4" });
    const metrics = registerReplicaMetrics(registry);
    const youngest = pod(10_000);
    const old = pod(39_000);
    const notReady = pod(2_000, false);
    observeDeletionAges(metrics, [youngest, old, notReady], [old, notReady], NOW);
    observeDeletionAges(metrics, [youngest, old], [youngest], NOW);
    const lines = registry
      .render()
      .split("\n")
      .filter((line) => line.includes("deletion_age_ratio"));
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^# HELP replicaset_controller_sorting_deletion_age_ratio \[ALPHA\] The ratio of /),
      "# TYPE replicaset_controller_sorting_deletion_age_ratio histogram",
    ]);
    const name = "replicaset_controller_sorting_deletion_age_ratio";
    const buckets = ["0.25 0", "0.5 0", "1 1", "2 1", "4 2", "8 2", "+Inf 2"].map((bucket) => bucket.split(" "));
    expect(lines.slice(2)).toEqual([
      ...buckets.map(([bound, count]) => `${name}_bucket{le="${bound}"} ${count}`),
      `${name}_sum 4`,
      `${name}_count 2`,
    ]);
  });

  it("replicaset/metrics a pod of this very millisecond is no measure", () => {
    const registry = new MetricRegistry({ version: "1.36.4" });
    const metrics = registerReplicaMetrics(registry);
    const [born, old] = [pod(0), pod(5_000)];
    observeDeletionAges(metrics, [born, old], [born, old], NOW);
    expect(registry.render()).toContain("replicaset_controller_sorting_deletion_age_ratio_count 0");
  });
});
