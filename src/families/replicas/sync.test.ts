import { expect, it } from "vitest";
import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import { TransportError } from "#base/http.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { createLister } from "#informers/lister.ts";
import { IndexedStore } from "#informers/store.ts";
import { WrittenVersions } from "#kit/consistency.ts";
import { DoubtfulCreates } from "#kit/doubtful-creates.ts";
import { TrackingExpectations } from "#kit/expectations.ts";
import { done } from "#kit/worker-loop.ts";
import type { Deps } from "./deps.ts";
import { replicaSetKind } from "./kinds.ts";
import { syncReplicas } from "./sync.ts";

const KEY = "ns/gone";
const signal = neverAborted();

it("replicaset/1 forgets whatever a sync remembered of an owner that is gone by now", async () => {
  const pods = { gvr: { group: "", resource: "pods" }, lastStoreSyncResourceVersion: "5" };
  const expectations = new TrackingExpectations(testClock());
  const consistency = new WrittenVersions([pods]);
  const doubts = new DoubtfulCreates(pods);
  const owners = { lister: createLister(new IndexedStore<ReplicaSet>(), replicaSetKind.gvr) };
  const deps = { expectations, consistency, doubts, owners } as unknown as Deps<ReplicaSet>;
  expectations.expectCreations(KEY, 3);
  consistency.wroteAt(KEY, "u1", pods.gvr, "5");
  doubts.note(KEY, new TransportError("reset", "lost"));

  expect(await syncReplicas(KEY, deps, signal)).toBe(done);

  expect(expectations.areMet(KEY)).toBe(true);
  let isAsked = false;
  await doubts.settle(KEY, { metadata: { uid: "u1" } }, async () => {
    isAsked = true;
    return [];
  });
  expect(isAsked).toBe(false);
});
