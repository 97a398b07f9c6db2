// An API server that is killed in the middle of work and comes back: exactly the requested pods exist, none was created
// twice, and the manager neither floods its log nor continues to write. Played on the embedded server under the virtual
// clock and on a real kube-apiserver (test/real/outages.test.ts).

import { expect } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Scene } from "#test/stage/stage.ts";
import { linesPerSecond } from "./log-rate.ts";
import { controls, replicaSets } from "./replicas/subject.ts";

const { create, objects, untilReplicas } = controls(replicaSets);
const { make } = replicaSets;

/** A stage whose API server can be killed and whose manager is observed. */
export interface OutageStage extends Scene {
  /** Kills the API server when the manager has created this many pods from now on. Requests in progress are lost. */
  killServerAfterPods(count: number): void;
  untilKilled(): Promise<void>;
  /**
   * Starts the server with the same store. With `forgetsHistory` every version from before the kill is too old to
   * resume from.
   */
  startServer(options?: { readonly forgetsHistory?: boolean }): Promise<void>;
  /** The server executes the manager's next creates of pods, and their answers are lost. */
  loseAnswersToPods(count: number): void;
  /** The manager's writes in the namespace, without Events: "delete", "create". */
  writes(): readonly string[];
  /** The manager's log, in klog's text format. */
  log(): string;
}

export interface Outage {
  readonly name: string;
  play(stage: OutageStage): Promise<void>;
}

const DOWN_MS = 4000;
/** Long enough for every planned retry. */
const QUIET_MS = 3000;

/** Checks that exactly these pods exist, none had to be deleted, and nothing happens from now on. */
async function expectExactly(stage: OutageStage, replicas: number): Promise<void> {
  await untilReplicas(stage, replicas);
  await stage.pass(QUIET_MS);
  expect((await stage.of(Pods).list()).length).toBe(replicas);
  const writes = stage.writes();
  expect(writes.filter((verb) => verb === "delete")).toEqual([]);
  const { length } = stage.log();
  await stage.pass(QUIET_MS);
  expect(stage.writes().length).toBe(writes.length);
  expect(stage.log().slice(length)).toBe("");
  expect(linesPerSecond(stage.log()).filter(({ count }) => count > 1)).toEqual([]);
}

/** Kills the server right after the nth pod of a scale-up to 50 and keeps it down for a while. */
export function killedAfter(pods: number, downMs: number, forgetsHistory: boolean): Outage {
  return {
    name: `killed after pod ${pods}, away for ${downMs} ms, history ${forgetsHistory ? "lost" : "kept"}`,
    async play(stage) {
      await objects(stage).create(make("web", 0));
      stage.killServerAfterPods(pods);
      await objects(stage).patch("web", { spec: { replicas: 50 } });
      await stage.untilKilled();
      await stage.pass(downMs);
      await stage.startServer({ forgetsHistory });
      await expectExactly(stage, 50);
    },
  };
}

export const outages: readonly Outage[] = [
  {
    name: "an API server killed in the middle of a scale-up: converges, no surplus pod, no error loop",
    async play(stage) {
      await objects(stage).create(make("web", 0));
      stage.killServerAfterPods(10);
      await objects(stage).patch("web", { spec: { replicas: 50 } });
      await stage.untilKilled();
      await stage.pass(DOWN_MS);
      await stage.startServer();
      expect((await stage.of(Pods).list()).length).toBeLessThan(50);
      await expectExactly(stage, 50);
    },
  },
  {
    name: "an API server killed in the middle of a scale-up that remembers no older version: a relist, no surplus pod",
    async play(stage) {
      await create(stage, 3);
      stage.killServerAfterPods(10);
      await objects(stage).patch("web", { spec: { replicas: 50 } });
      await stage.untilKilled();
      await stage.pass(DOWN_MS);
      await stage.startServer({ forgetsHistory: true });
      expect((await stage.of(Pods).list()).length).toBeLessThan(50);
      await expectExactly(stage, 50);
    },
  },
  {
    name: "an API server that is gone for less than the back-off of anybody: no surplus pod",
    async play(stage) {
      await create(stage, 3);
      stage.killServerAfterPods(1);
      await objects(stage).patch("web", { spec: { replicas: 20 } });
      await stage.untilKilled();
      await stage.startServer({ forgetsHistory: true });
      await expectExactly(stage, 20);
    },
  },
  {
    name: "answers to creates that are lost after the server had done them: no surplus pod",
    async play(stage) {
      await objects(stage).create(make("web", 0));
      stage.loseAnswersToPods(3);
      await objects(stage).patch("web", { spec: { replicas: 10 } });
      await stage.of(Pods).untilAll((pods) => pods.length >= 10);
      await expectExactly(stage, 10);
    },
  },
];
