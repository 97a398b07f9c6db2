// A namespace of a real control plane as a stage whose API server can be killed. The manager under test reaches the
// server through a fault proxy, which goes down with it: its connections are refused, not just broken.

import { listPods } from "#test/scenarios/pod-steps.ts";
import type { OutageStage } from "#test/scenarios/stage.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { realStage } from "./real-stage.ts";
import { eventually } from "./suite.ts";

/** Slows creates down so that a kill comes in the middle of them. */
const CREATE_DELAY_MS = 100;
const LOOK_MS = 10;
/** Longer than the back-off of a manager whose server was away. */
const PATIENCE_MS = 150_000;

export async function realOutageStage(
  plane: ControlPlane,
  proxy: FaultProxy,
  managerLog: () => string,
): Promise<OutageStage> {
  const stage = await realStage(plane);
  const creates = { method: "POST", path: `/api/v1/namespaces/${stage.namespace}/pods` };
  const logged = managerLog().length;
  let killed = Promise.resolve();
  const killAfter = async (count: number): Promise<void> => {
    const delay = proxy.inject(creates, { kind: "delay", ms: CREATE_DELAY_MS });
    const enough = (await listPods(stage)).length + count;
    while ((await listPods(stage)).length < enough) await stage.pass(LOOK_MS);
    await Promise.all([plane.killApiServer(), proxy.down()]);
    delay.remove();
  };
  return {
    ...stage,
    until: (probe) => eventually(() => stage.do(probe), PATIENCE_MS),
    killServerAfterPods(count) {
      killed = killAfter(count);
      killed.catch(() => undefined); // untilKilled() tells
    },
    untilKilled: () => killed,
    async startServer({ forgetsHistory = false } = {}) {
      if (forgetsHistory) await plane.compactEtcd();
      await plane.reviveApiServer();
      await proxy.up();
    },
    loseAnswersToPods: (count) => void proxy.inject(creates, { kind: "reset" }, count),
    log: () => managerLog().slice(logged),
  };
}
