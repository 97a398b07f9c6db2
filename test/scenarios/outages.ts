// What must hold when the API server is killed in the middle of work and comes back: exactly the pods that were asked
// for, none of them created twice, and a manager that neither shouts nor goes on writing. Played on the embedded
// server under the virtual clock and on a real kube-apiserver (test/real/outages.test.ts).

import { expect } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { linesPerSecond } from "./log-rate.ts";
import { listPods, untilPods } from "./pod-steps.ts";
import { createSet, patchSet, replicaSet, untilReplicas } from "./replica-objects.ts";
import type { OutageStage, Scenario } from "./stage.ts";
import { createObject } from "./steps.ts";

const DOWN_MS = 4000;
/** Long enough for every retry that is still planned. */
const QUIET_MS = 3000;

/** All pods are there, nobody had to remove one, and from now on nothing happens. */
async function expectExactly(stage: OutageStage, replicas: number): Promise<void> {
  await untilReplicas(stage, replicas);
  await stage.pass(QUIET_MS);
  expect((await listPods(stage)).length).toBe(replicas);
  const writes = await stage.writes();
  expect(writes.filter(({ method }) => method === "DELETE")).toEqual([]);
  const { length } = stage.log();
  await stage.pass(QUIET_MS);
  expect((await stage.writes()).length).toBe(writes.length);
  expect(stage.log().slice(length)).toBe("");
  expect(linesPerSecond(stage.log()).filter(({ count }) => count > 1)).toEqual([]);
}

/** Kills the server right after the nth pod of a scale-up to 50, and leaves it away for a while. */
export function killedAfter(pods: number, downMs: number, forgetsHistory: boolean): Scenario<OutageStage> {
  return {
    name: `killed after pod ${pods}, away for ${downMs} ms, history ${forgetsHistory ? "lost" : "kept"}`,
    async play(stage) {
      await createObject(stage, ReplicaSets, replicaSet(0));
      stage.killServerAfterPods(pods);
      await patchSet(stage, { spec: { replicas: 50 } });
      await stage.untilKilled();
      await stage.pass(downMs);
      await stage.startServer({ forgetsHistory });
      await expectExactly(stage, 50);
    },
  };
}

export const outages: readonly Scenario<OutageStage>[] = [
  {
    name: "an API server killed in the middle of a scale-up: converges, no surplus pod, no error loop",
    async play(stage) {
      await createObject(stage, ReplicaSets, replicaSet(0));
      stage.killServerAfterPods(10);
      await patchSet(stage, { spec: { replicas: 50 } });
      await stage.untilKilled();
      await stage.pass(DOWN_MS);
      await stage.startServer();
      expect((await listPods(stage)).length).toBeLessThan(50);
      await expectExactly(stage, 50);
    },
  },
  {
    name: "an API server killed in the middle of a scale-up that remembers no older version: a relist, no surplus pod",
    async play(stage) {
      await createSet(stage, 3);
      stage.killServerAfterPods(10);
      await patchSet(stage, { spec: { replicas: 50 } });
      await stage.untilKilled();
      await stage.pass(DOWN_MS);
      await stage.startServer({ forgetsHistory: true });
      expect((await listPods(stage)).length).toBeLessThan(50);
      await expectExactly(stage, 50);
    },
  },
  {
    name: "an API server that is gone for less than the back-off of anybody: no surplus pod",
    async play(stage) {
      await createSet(stage, 3);
      stage.killServerAfterPods(1);
      await patchSet(stage, { spec: { replicas: 20 } });
      await stage.untilKilled();
      await stage.startServer({ forgetsHistory: true });
      await expectExactly(stage, 20);
    },
  },
  {
    name: "answers to creates that are lost after the server had done them: no surplus pod",
    async play(stage) {
      await createObject(stage, ReplicaSets, replicaSet(0));
      stage.loseAnswersToPods(3);
      await patchSet(stage, { spec: { replicas: 10 } });
      await untilPods(stage, (pods) => pods.length >= 10);
      await expectExactly(stage, 10);
    },
  },
];
