// What no scenario sees of the disruption controller.

import { expect, it } from "vitest";
import { PodDisruptionBudgets } from "#api/generated/resources/policy-v1.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { embeddedStage } from "../embedded-stage.ts";
import { createObject } from "../steps.ts";

it("disruption/metrics has the metrics of its queues, and none of its own", async () => {
  const metrics = new MetricRegistry({ version: "1.36.4" });
  const stage = await embeddedStage({ controllers: ["disruption-controller"], metrics });
  try {
    await createObject(stage, PodDisruptionBudgets, { metadata: { name: "web" }, spec: { minAvailable: 1 } });
    await stage.pass(1000);
    const text = metrics.render();
    for (const queue of ["disruption", "disruption_recheck", "stale_pod_disruption"]) {
      expect(text).toContain(`workqueue_adds_total{name="${queue}"}`);
    }
    expect(text).not.toMatch(/^(disruption|stale)/m);
  } finally {
    await stage.stop();
  }
});
