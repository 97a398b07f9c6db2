import { afterAll, afterEach, beforeAll, beforeEach, it } from "vitest";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { withoutRepeats } from "#manager/log-repeats.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { outages } from "#test/scenarios/outages.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { type OurManager, startOurManager } from "./our-manager.ts";
import { realOutageStage } from "./real-outage-stage.ts";
import { describeReal } from "./suite.ts";

describeReal("an API server that is killed and restarted, on a real kube-apiserver", () => {
  let plane: ControlPlane;
  let proxy: FaultProxy;
  let ours: OurManager;
  let log = "";
  beforeAll(async () => {
    plane = await startControlPlane();
    proxy = await plane.startFaultProxy();
  }, 120_000);
  afterAll(async () => {
    await plane?.stop();
  });
  // Each outage meets a manager without the back-off of the one before.
  beforeEach(async () => {
    const write = (line: string): void => {
      log += line;
    };
    const logger = createLogger({ clock: systemClock, format: "text", verbosity: new LogVerbosity(), write });
    ours = await startOurManager(plane, {
      controllers: ["replicaset-controller"],
      server: proxy.server,
      log: withoutRepeats(logger, systemClock),
    });
  }, 120_000);
  afterEach(async () => {
    await ours.stop();
  });

  for (const { name, play } of outages) {
    it(name, async () => play(await realOutageStage(plane, proxy, () => log)), 180_000);
  }
});
