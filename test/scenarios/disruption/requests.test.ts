// Behaviour of the disruption controller that scenarios do not show.

import { expect, it } from "vitest";
import { PodDisruptionBudgets } from "#api/generated/resources/policy-v1.ts";
import { openWire } from "#test/stage/wire-stage.ts";

it("disruption/metrics has the metrics of its queues, and none of its own", async () => {
  const stage = await openWire({ controllers: ["disruption-controller"] });
  try {
    await stage.of(PodDisruptionBudgets).create({ metadata: { name: "web" }, spec: { minAvailable: 1 } });
    await stage.pass(1000);
    const text = stage.metrics.render();
    for (const queue of ["disruption", "disruption_recheck", "stale_pod_disruption"]) {
      expect(text).toContain(`workqueue_adds_total{name="${queue}"}`);
    }
    expect(text).not.toMatch(/^(disruption|stale)/m);
  } finally {
    await stage.stop();
  }
});
