// Delayed syncs of a set: they happen only while a pod is ready and not yet available.

import { afterEach, describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { SyncOutcome } from "#kit/trace.ts";
import { makeReady } from "#test/stage/pods.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";
import { controls, replicaSets } from "./replicas/subject.ts";

const { create, objects, untilStatus } = controls(replicaSets);

let stage: WireStage;
const outcomes: SyncOutcome[] = [];
afterEach(() => stage.stop());

/** Creates a set of one pod that has just become ready. */
async function becomeReady(minReadySeconds: number): Promise<void> {
  const trace = {
    queued: () => undefined,
    started: () => undefined,
    finished: (_: unknown, outcome: SyncOutcome) => void outcomes.push(outcome),
  };
  stage = await openWire({ controllers: ["replicaset-controller"], trace });
  await create(stage, 1, { minReadySeconds });
  outcomes.length = 0;
  for (const pod of await stage.of(Pods).list()) await makeReady(stage, pod.metadata.name);
  await untilStatus(stage, { readyReplicas: 1 });
  await stage.pass(100);
}

const waits = (): number[] => outcomes.flatMap((outcome) => (outcome.kind === "requeued" ? [outcome.afterMs] : []));

describe("replicaset/10 looking again for availability", () => {
  it("never happens where a ready pod is available at once", async () => {
    await becomeReady(0);
    expect([waits(), outcomes.length > 0]).toEqual([[], true]);
  });

  it("happens when the pod will have been ready for long enough, and ends with that", async () => {
    await becomeReady(10);
    const planned = waits();
    expect(planned.length).toBeGreaterThan(0);
    for (const ms of planned) expect(ms > 9000 && ms <= 10_000).toBe(true);
    await stage.pass(10_000);
    await untilStatus(stage, { availableReplicas: 1 });
    await stage.pass(1000);
    outcomes.length = 0;
    await objects(stage).patch("web", { metadata: { annotations: { touched: "1" } } });
    await stage.pass(1000);
    expect([waits(), outcomes.length > 0]).toEqual([[], true]);
  });
});
