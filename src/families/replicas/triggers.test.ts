import { beforeEach, describe, expect, it } from "vitest";
import { ValueError } from "#api/errors.ts";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { PodStatus } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { objectKey } from "#api/object.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { noMetrics } from "#base/metrics.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { createLister } from "#informers/lister.ts";
import { IndexedStore } from "#informers/store.ts";
import { WrittenVersions } from "#kit/consistency.ts";
import { DoubtfulCreates } from "#kit/doubtful-creates.ts";
import { TrackingExpectations } from "#kit/expectations.ts";
import { KeyQueue } from "#kit/key-queue.ts";
import { OwnerLookup } from "#kit/owner-lookup.ts";
import type { Deps } from "./deps.ts";
import { replicaSetKind } from "./kinds.ts";
import { ownerTriggers, podTriggers } from "./triggers.ts";

type StoredPod = ObjectOf<typeof Pods>;
type StoredReplicaSet = ObjectOf<typeof ReplicaSets>;

const web = { app: "web" };
const api = { app: "api" };

function replicaSet(name: string, matchLabels: Record<string, string> = web, namespace = "ns"): StoredReplicaSet {
  return stored(ReplicaSets, { metadata: { namespace, name }, spec: { selector: { matchLabels }, template: {} } });
}

/** A pod of this set, or an orphan. */
function pod(owner: StoredReplicaSet | undefined, more: ObjectMeta = {}, status: PodStatus = {}): StoredPod {
  const ownerReferences = owner && [newControllerRef(owner, ReplicaSets)];
  return stored(Pods, {
    metadata: { name: "pod", labels: web, ...(ownerReferences ? { ownerReferences } : {}), ...more },
    status,
  });
}

/** The same pod a version later. */
const later = (old: StoredPod, more: ObjectMeta = {}, status: PodStatus = old.status ?? {}): StoredPod =>
  stored(Pods, {
    ...old,
    metadata: { ...old.metadata, resourceVersion: "2", ...more },
    status,
  });

const gone = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const setA = replicaSet("a", web);
const setB = replicaSet("b", api);

let clock: VirtualClock;
let store: IndexedStore<StoredReplicaSet>;
let lookup: OwnerLookup<StoredReplicaSet>;
let deps: Pick<Deps<StoredReplicaSet>, "expectations" | "consistency" | "doubts">;
let queue: KeyQueue;

beforeEach(() => {
  clock = testClock();
  store = new IndexedStore();
  queue = new KeyQueue({ context: { clock, metrics: noMetrics }, controller: "test", name: "" });
  const sets = { resource: ReplicaSets, lastStoreSyncResourceVersion: "1" };
  deps = {
    expectations: new TrackingExpectations(clock),
    consistency: new WrittenVersions([sets]),
    doubts: new DoubtfulCreates({ resource: Pods, lastStoreSyncResourceVersion: "1" }),
  };
  lookup = new OwnerLookup({
    resource: ReplicaSets,
    owners: { lister: createLister(store, ReplicaSets) },
    selectorOf: (owner) =>
      owner.metadata.name === "broken" ? new ValueError("labelSelector", "no") : replicaSetKind.selectorOf(owner),
  });
  for (const set of [setA, setB]) store.set(objectKey(set), set);
});

/** The queued keys. */
async function queued(): Promise<string[]> {
  const keys: string[] = [];
  queue.add("end", { kind: "resync" });
  for (;;) {
    const key = await queue.take(neverAborted());
    queue.done(key ?? "");
    if (key === "end" || key === undefined) return keys.sort();
    keys.push(key);
  }
}

describe("pods", () => {
  it("replicaset/tests, replicaset/watches a pod's event queues its owner, and only that one of several that match", async () => {
    for (const name of ["c", "d", "e"]) store.set(`ns/${name}`, replicaSet(name));
    const handlers = podTriggers(lookup, deps.expectations, queue);
    handlers.onAdd?.(pod(setA), false);
    expect(await queued()).toEqual(["ns/a"]);
    handlers.onDelete?.(pod(setA, {}, { phase: "Failed" }), true);
    expect(await queued()).toEqual(["ns/a"]);
  });

  const updates: readonly {
    readonly what: string;
    readonly from: StoredPod;
    readonly to: StoredPod;
    readonly keys: string[];
  }[] = [
    {
      what: "new labels of an owned pod concern its owner alone",
      from: pod(setA),
      to: later(pod(setA), { labels: api }),
      keys: ["ns/a"],
    },
    {
      what: "an owner that is gone from the pod is queued, and so is a match",
      from: pod(setA, { labels: api }),
      to: later(pod(undefined, { labels: api })),
      keys: ["ns/a", "ns/b"],
    },
    {
      what: "owner and match may be the same",
      from: pod(setB, { labels: api }),
      to: later(pod(undefined, { labels: api })),
      keys: ["ns/b"],
    },
    {
      what: "labels of an orphan decide who may adopt it",
      from: pod(undefined),
      to: later(pod(undefined), { labels: api }),
      keys: ["ns/b"],
    },
    {
      what: "an orphan whose labels stay concerns nobody",
      from: pod(undefined),
      to: later(pod(undefined), { annotations: { note: "1" } }),
      keys: [],
    },
    { what: "a resync concerns nobody", from: pod(setA), to: pod(setA, { annotations: { note: "1" } }), keys: [] },
  ];
  for (const { what, from, to, keys } of updates) {
    it(`replicaset/tests, workloads/S4 ${what}`, async () => {
      podTriggers(lookup, deps.expectations, queue).onUpdate?.(from, to);
      expect(await queued()).toEqual(keys);
    });
  }

  it("machinery/5.7.4, replicaset/4, replicaset/tests a pod first seen while it is being deleted is a deletion, not a creation", async () => {
    const handlers = podTriggers(lookup, deps.expectations, queue);
    deps.expectations.expectCreations("ns/a", 1);
    handlers.onAdd?.(pod(setA, gone), false);
    expect(deps.expectations.areMet("ns/a")).toBe(false);
    deps.expectations.expectDeletions("ns/a", ["ns/pod"]);
    handlers.onAdd?.(pod(setA, gone), false);
    expect(deps.expectations.areMet("ns/a")).toBe(true);
    expect(await queued()).toEqual(["ns/a"]);
  });

  it("machinery/5.7.4, replicaset/4, workloads/S7, replicaset/tests a deletion counts once, with the timestamp or with the event", async () => {
    const handlers = podTriggers(lookup, deps.expectations, queue);
    const first = pod(setA, { name: "first" });
    deps.expectations.expectDeletions("ns/a", ["ns/first"]);
    handlers.onUpdate?.(first, later(first, gone));
    expect(deps.expectations.areMet("ns/a")).toBe(true);
    expect(await queued()).toEqual(["ns/a"]);
    // The timestamp changes again, and the pod is deleted: neither counts a second time.
    deps.expectations.expectDeletions("ns/a", ["ns/second"]);
    handlers.onUpdate?.(later(first, gone), later(first, { ...gone, resourceVersion: "3" }));
    handlers.onDelete?.(later(first, gone), false);
    expect(deps.expectations.areMet("ns/a")).toBe(false);
    // A pod deleted without a grace period is counted by its delete event.
    handlers.onDelete?.(pod(setA, { name: "second" }), false);
    expect(deps.expectations.areMet("ns/a")).toBe(true);
    expect(await queued()).toEqual(["ns/a"]);
  });

  it("replicaset/4 labels that change with the deletion: the pod as it was is gone too", async () => {
    const handlers = podTriggers(lookup, deps.expectations, queue);
    const stray = pod(setA);
    deps.expectations.expectDeletions("ns/a", ["ns/pod"]);
    handlers.onUpdate?.(stray, later(pod(setB), { ...gone, labels: api }));
    expect(deps.expectations.areMet("ns/a")).toBe(true);
    expect(await queued()).toEqual(["ns/a", "ns/b"]);
  });

  it("replicaset/4 an orphan never counts as a creation, nor its end as a deletion", async () => {
    const handlers = podTriggers(lookup, deps.expectations, queue);
    deps.expectations.expectCreations("ns/a", 1);
    handlers.onAdd?.(pod(undefined), false);
    expect(deps.expectations.areMet("ns/a")).toBe(false);
    expect(await queued()).toEqual(["ns/a"]);
    deps.expectations.expectDeletions("ns/a", ["ns/pod"]);
    handlers.onDelete?.(pod(undefined), false);
    expect(deps.expectations.areMet("ns/a")).toBe(false);
    expect(await queued()).toEqual([]);
  });

  const references: readonly { readonly what: string; readonly change: object; readonly keys: string[] }[] = [
    { what: "kind, name and UID must fit", change: {}, keys: ["ns/a"] },
    { what: "another API group is not looked at", change: { apiVersion: "example.com/v1" }, keys: ["ns/a"] },
    { what: "another kind is somebody else", change: { kind: "ReplicationController" }, keys: [] },
    { what: "another name is somebody else", change: { name: "b" }, keys: [] },
    { what: "another UID is a predecessor", change: { uid: "uid-old" }, keys: [] },
    { what: "an owner that is no controller leaves an orphan", change: { controller: false }, keys: ["ns/a"] },
  ];
  for (const { what, change, keys } of references) {
    it(`workloads/S16 ${what}`, async () => {
      const [reference] = pod(setA).metadata?.ownerReferences ?? [];
      podTriggers(lookup, deps.expectations, queue).onAdd?.(
        pod(undefined, { ownerReferences: [{ ...reference, ...change } as never] }),
        false,
      );
      expect(await queued()).toEqual(keys);
    });
  }

  it("workloads/S16, replicaset/tests an orphan is offered to every owner of its namespace whose selector matches", async () => {
    const empty = replicaSet("empty", {});
    const without = stored(ReplicaSets, { metadata: { name: "without" } });
    const others = [replicaSet("second"), replicaSet("broken"), empty, without, replicaSet("elsewhere", web, "other")];
    for (const set of others) store.set(objectKey(set), set);
    const handlers = podTriggers(lookup, deps.expectations, queue);
    handlers.onAdd?.(pod(undefined), false);
    expect(await queued()).toEqual(["ns/a", "ns/second"]);
    handlers.onAdd?.(pod(undefined, { labels: {} }), false);
    expect(await queued()).toEqual([]);
  });

  it("replicaset/4 pods of unknown controllers, or of another kind, queue nothing", async () => {
    const handlers = podTriggers(lookup, deps.expectations, queue);
    const kind = { apiVersion: "apps/v1", kind: "StatefulSet", name: "a", uid: "uid-a", controller: true };
    const foreign = pod(undefined, { ownerReferences: [kind] });
    for (const strange of [pod(replicaSet("none")), foreign, pod({ metadata: { ...setA.metadata, uid: "older" } })]) {
      handlers.onAdd?.(strange, false);
      handlers.onUpdate?.(strange, later(strange, { labels: api }));
      handlers.onUpdate?.(strange, later(strange, gone));
      handlers.onDelete?.(strange, false);
    }
    expect(await queued()).toEqual([]);
  });

  it("replicaset/10 a pod that becomes ready is checked again after minReadySeconds", async () => {
    store.set("ns/a", { ...setA, spec: { ...setA.spec, minReadySeconds: 7 } as never });
    const ready = { conditions: [{ type: "Ready", status: "True" }] };
    const handlers = podTriggers(lookup, deps.expectations, queue);
    handlers.onUpdate?.(pod(setA), later(pod(setA), {}, ready));
    expect(await queued()).toEqual(["ns/a"]);
    await clock.advance(6_999);
    expect(await queued()).toEqual([]);
    await clock.advance(1);
    expect(await queued()).toEqual(["ns/a"]);
    // Ready before and after, never ready, no longer ready: no transition.
    handlers.onUpdate?.(pod(setA, {}, ready), later(pod(setA, {}, ready), {}, ready));
    handlers.onUpdate?.(pod(setA), later(pod(setA), {}, {}));
    handlers.onUpdate?.(pod(setA, {}, ready), later(pod(setA), {}, {}));
    expect(await queued()).toEqual(["ns/a"]);
    await clock.advance(60_000);
    expect(await queued()).toEqual([]);
  });
});

describe("owners", () => {
  it("replicaset/watches, replicaset/tests each event queues the owner, an update that changes nothing too", async () => {
    const handlers = ownerTriggers(replicaSetKind, deps, queue);
    handlers.onAdd?.(setA, true);
    expect(await queued()).toEqual(["ns/a"]);
    handlers.onUpdate?.(setA, setA);
    expect(await queued()).toEqual(["ns/a"]);
    handlers.onDelete?.(setA, true);
    expect(await queued()).toEqual(["ns/a"]);
  });

  it("replicaset/tests a deleted owner's expectations and written versions go with it", () => {
    const handlers = ownerTriggers(replicaSetKind, deps, queue);
    deps.expectations.expectCreations("ns/a", 1);
    deps.consistency.wroteAt("ns/a", "uid-a", ReplicaSets, "9");
    handlers.onDelete?.(setA, false);
    expect(deps.expectations.areMet("ns/a")).toBe(true);
    deps.consistency.requireFresh("ns/a");
    // The record of a new owner with the same name stays.
    deps.consistency.wroteAt("ns/a", "uid-successor", ReplicaSets, "9");
    handlers.onDelete?.(setA, true);
    expect(() => deps.consistency.requireFresh("ns/a")).toThrow("written version: 9");
  });
});
