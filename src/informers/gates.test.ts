// Feature gates of the client library that can no longer be switched off, and the behaviour behind them.

import { expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { stageInformer } from "#informers/testing-stage.ts";

const gates = (): FeatureGates => new FeatureGates(featureGateTable(), "1.36");

it("machinery/5.1.r2 InOrderInformers cannot be switched off: every change is delivered, in the order of the stream", async () => {
  expect(() => gates().setFromMap({ InOrderInformers: false })).toThrow(
    "cannot set feature gate InOrderInformers to false, feature is locked to true",
  );
  const { server, informer, stop, clock, heard } = stageInformer();
  void informer.run(stop.signal);
  await clock.settle();
  for (let value = 1; value <= 3; value++) {
    server.put("a", value);
    server.put("b", value);
  }
  server.remove("a");
  server.put("a", 4);
  await clock.settle();
  expect(heard()).toEqual([
    "add a=1",
    "add b=1",
    "update a=1 a=2",
    "update b=1 b=2",
    "update a=2 a=3",
    "update b=2 b=3",
    "delete a=3",
    "add a=4",
  ]);
  stop.abort();
});

it("machinery/5.1.r6, machinery/8.r11 InformerResourceVersion is on: an informer reports its version", async () => {
  expect(gates().isEnabled("InformerResourceVersion")).toBe(true);
  const { server, informer, stop, clock } = stageInformer();
  expect(informer.lastSyncResourceVersion).toBe("");
  void informer.run(stop.signal);
  await clock.settle();
  for (let round = 0; round < 3; round++) {
    server.put("a", round);
    await clock.settle();
    expect(informer.lastSyncResourceVersion).toBe(String(server.revision));
  }
  stop.abort();
});
