import { expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { TransportError } from "#base/http.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { createLister } from "#informers/lister.ts";
import { IndexedStore } from "#informers/store.ts";
import { WrittenVersions } from "#kit/consistency.ts";
import { DoubtfulCreates } from "#kit/doubtful-creates.ts";
import { TrackingExpectations } from "#kit/expectations.ts";
import { done } from "#kit/worker-loop.ts";
import type { Deps } from "./deps.ts";
import { PodMarks } from "./pod-marks.ts";
import { syncReplicas } from "./sync.ts";

type StoredReplicaSet = ObjectOf<typeof ReplicaSets>;

const KEY = "ns/gone";
const signal = neverAborted();

it("replicaset/1 forgets the state of an owner that is gone", async () => {
  const pods = { resource: Pods, lastStoreSyncResourceVersion: "5" };
  const expectations = new TrackingExpectations(testClock());
  const consistency = new WrittenVersions([pods]);
  const doubts = new DoubtfulCreates(pods);
  const owners = { lister: createLister(new IndexedStore<StoredReplicaSet>(), ReplicaSets) };
  const podMarks = new PodMarks();
  const deps = { expectations, consistency, doubts, podMarks, owners } as unknown as Deps<StoredReplicaSet>;
  expectations.expectCreations(KEY, 3);
  consistency.wroteAt(KEY, "u1", Pods, "5");
  doubts.note(KEY, new TransportError("reset", "lost"));

  expect(await syncReplicas(KEY, deps, signal)).toBe(done);

  expect(expectations.areMet(KEY)).toBe(true);
  let isAsked = false;
  await doubts.settle(KEY, stored(ReplicaSets, { metadata: { name: "gone", uid: "u1" } }), async () => {
    isAsked = true;
    return [];
  });
  expect(isAsked).toBe(false);
});
