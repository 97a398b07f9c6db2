import { afterAll, afterEach, beforeAll, beforeEach, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { withoutRepeats } from "#manager/log-repeats.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { type OutageStage, outages } from "#test/scenarios/outages.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { type OurManager, startOurManager } from "./our-manager.ts";
import { realScene } from "./real-scene.ts";
import { describeReal } from "./suite.ts";

/** Delays creates, so that a kill comes in the middle of them. */
const CREATE_DELAY_MS = 100;
const LOOK_MS = 10;
/** Longer than the back-off of a manager whose server was away. */
const PATIENCE_MS = 150_000;

/**
 * The manager reaches the server through the proxy, which goes down with the server: new connections are refused too.
 */
async function outageStage(plane: ControlPlane, proxy: FaultProxy, managerLog: () => string): Promise<OutageStage> {
  const stage = await realScene(plane, PATIENCE_MS);
  const creates = { method: "POST", path: `/api/v1/namespaces/${stage.namespace}/pods` };
  const logged = managerLog().length;
  const countPods = async (): Promise<number> => (await stage.of(Pods).list()).length;
  let killed = Promise.resolve();
  const killAfter = async (count: number): Promise<void> => {
    const delay = proxy.inject(creates, { kind: "delay", ms: CREATE_DELAY_MS });
    const enough = (await countPods()) + count;
    while ((await countPods()) < enough) await stage.pass(LOOK_MS);
    await Promise.all([plane.killApiServer(), proxy.down()]);
    delay.remove();
  };
  return {
    ...stage,
    killServerAfterPods(count) {
      killed = killAfter(count);
      killed.catch(() => undefined); // untilKilled() reports it
    },
    untilKilled: () => killed,
    async startServer({ forgetsHistory = false } = {}) {
      if (forgetsHistory) await plane.compactEtcd();
      await plane.reviveApiServer();
      await proxy.up();
    },
    loseAnswersToPods: (count) => void proxy.inject(creates, { kind: "reset" }, count),
    writes: () => stage.writes().map(({ verb }) => verb),
    log: () => managerLog().slice(logged),
  };
}

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
  // Each outage has a new manager, without the back-off of the previous outage.
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
    it(name, async () => play(await outageStage(plane, proxy, () => log)), 180_000);
  }
});
