import { describe, expect, it } from "vitest";
import { DaemonSets, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { StaleCacheError, WrittenVersions } from "./consistency.ts";

function setUp() {
  const pods = { resource: Pods, lastStoreSyncResourceVersion: "10" };
  const sets = { resource: ReplicaSets, lastStoreSyncResourceVersion: "10" };
  return { pods, sets, store: new WrittenVersions([pods, sets]) };
}

describe("workloads/tests read your own writes", () => {
  it("machinery/5.4.2, workloads/S26 a sync waits while a cache is older than the owner's last write", () => {
    const { pods, store } = setUp();
    store.wroteAt("ns/a", "u1", Pods, "12");
    expect(() => store.requireFresh("ns/a")).toThrow(
      "read version: 10 is not as new as written version: 12 for group resource pods",
    );
    store.requireFresh("ns/b");
    pods.lastStoreSyncResourceVersion = "12";
    store.requireFresh("ns/a");
    pods.lastStoreSyncResourceVersion = "11";
    store.requireFresh("ns/a"); // The caches have caught up, so the record is gone.
  });

  it("machinery/5.4.1, workloads/S26 only the newest version written counts, per resource", () => {
    const { store } = setUp();
    store.wroteAt("ns/a", "u1", ReplicaSets, "15");
    store.wroteAt("ns/a", "u1", ReplicaSets, "9");
    expect(() => store.requireFresh("ns/a")).toThrow(StaleCacheError);
    expect(() => store.requireFresh("ns/a")).toThrow("written version: 15 for group resource replicasets.apps");
  });

  it("machinery/5.4.3, workloads/S26 versions of any length compare as numbers; malformed ones never block", () => {
    const { pods, store } = setUp();
    pods.lastStoreSyncResourceVersion = "9999999999999999999998";
    store.wroteAt("ns/a", "u1", Pods, "9999999999999999999999");
    expect(() => store.requireFresh("ns/a")).toThrow(StaleCacheError);
    for (const odd of ["", "0", "007", "abc"]) {
      pods.lastStoreSyncResourceVersion = odd;
      store.wroteAt("ns/a", "u1", Pods, "9999999999999999999999");
      store.requireFresh("ns/a");
    }
  });

  it("machinery/5.4.4, workloads/S26 a recreated owner starts with an empty record", () => {
    const { store } = setUp();
    store.wroteAt("ns/a", "u1", Pods, "99");
    store.wroteAt("ns/a", "u2", ReplicaSets, "5");
    store.requireFresh("ns/a");
  });

  it("workloads/S26 one cache that lags is enough to wait, and a resource without a cache never is", () => {
    const { pods, sets, store } = setUp();
    store.wroteAt("ns/a", "u1", Pods, "12");
    store.wroteAt("ns/a", "u1", ReplicaSets, "100");
    store.wroteAt("ns/a", "u1", DaemonSets, "999");
    pods.lastStoreSyncResourceVersion = "15";
    sets.lastStoreSyncResourceVersion = "50";
    expect(() => store.requireFresh("ns/a")).toThrow("for group resource replicasets.apps");
    sets.lastStoreSyncResourceVersion = "100";
    store.requireFresh("ns/a");
  });

  it("workloads/S26 a version that cannot be compared is replaced by the next one", () => {
    const { store } = setUp();
    store.wroteAt("ns/a", "u1", Pods, "odd");
    store.requireFresh("ns/a");
    store.wroteAt("ns/a", "u1", Pods, "odd");
    store.wroteAt("ns/a", "u1", Pods, "11");
    expect(() => store.requireFresh("ns/a")).toThrow("written version: 11");
  });

  it("workloads/S28 clearing with another UID keeps the record", () => {
    const { store } = setUp();
    store.wroteAt("ns/a", "u1", Pods, "99");
    store.clear("ns/a", "u2");
    expect(() => store.requireFresh("ns/a")).toThrow(StaleCacheError);
    store.clear("ns/a", "u1");
    store.requireFresh("ns/a");
    store.wroteAt("ns/a", "u1", Pods, "99");
    store.clear("ns/a");
    store.requireFresh("ns/a");
  });
});
