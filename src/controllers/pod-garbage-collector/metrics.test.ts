import { expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { registerPodGcMetrics } from "./metrics.ts";

it("pod-garbage-collector/metrics counts deletions and failures by namespace and reason", () => {
  const registry = new MetricRegistry({ version: "1.36.4" });
  const { deletions, errors } = registerPodGcMetrics(registry);
  deletions.inc(["ns", "out-of-service"]);
  errors.inc(["ns", "orphaned"]);
  expect(registry.render()).toContain(
    'pod_gc_collector_force_delete_pods_total{namespace="ns",reason="out-of-service"} 1\n',
  );
  expect(registry.render()).toContain(
    'pod_gc_collector_force_delete_pod_errors_total{namespace="ns",reason="orphaned"} 1\n',
  );
});
