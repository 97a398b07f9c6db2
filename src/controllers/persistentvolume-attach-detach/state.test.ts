import { beforeEach, describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import type { VolumeSpec } from "#families/volumes/volume-spec.ts";
import { ActualState } from "./actual-state.ts";
import { DesiredState } from "./desired-state.ts";

const spec: VolumeSpec = { persistentVolume: { metadata: { name: "pv" } }, isMigrated: false, isInline: false };

describe("persistentvolume-attach-detach/6, persistentvolume-attach-detach/tests the actual state", () => {
  let actual: ActualState;
  beforeEach(() => {
    actual = new ActualState();
  });
  const find = () => actual.attachments().map(({ volume, node, doubt, isInUse }) => [volume, node, doubt, isInUse]);

  it("takes a new attachment for mounted until its node says otherwise", () => {
    actual.markAttached("v", spec, "a");
    expect(find()).toEqual([["v", "a", undefined, true]]);
    actual.setInUse("a", []);
    expect(find()).toEqual([["v", "a", undefined, false]]);
    actual.markAttached("v", spec, "a");
    expect(find()).toEqual([["v", "a", undefined, false]]);
  });

  it("distinguishes attached, uncertain and detached", () => {
    actual.markAttached("v", spec, "a");
    actual.markUncertain("v", spec, "b", "failed");
    expect(["a", "b", "c"].map((node) => actual.state("v", node))).toEqual(["attached", "uncertain", "detached"]);
    actual.markUncertain("v", spec, "a", "failed");
    expect(actual.state("v", "a")).toBe("uncertain");
    actual.markDetached("v", "a");
    expect(actual.state("v", "a")).toBe("detached");
    actual.markDetached("v", "a");
    actual.markDetached("other", "a");
  });

  it("persistentvolume-attach-detach/7 counts as holders of a volume confirmed nodes, and those that a driver reported when it was found", () => {
    actual.markAttached("v", spec, "a");
    actual.markUncertain("v", spec, "b", "failed");
    actual.markUncertain("v", spec, "c", "found");
    actual.markUncertain("v", spec, "d", "found-attached");
    expect(actual.holders("v")).toEqual(["a", "d"]);
    expect(actual.holders("other")).toEqual([]);
  });

  it("persistentvolume-attach-detach/15 reports confirmed volumes, once, until something changes", () => {
    actual.markAttached("v", spec, "a", "/dev/sda");
    actual.markUncertain("w", spec, "a", "failed");
    expect(actual.staleNodes()).toEqual(["a"]);
    expect(actual.takeReport("a")).toEqual([{ name: "v", devicePath: "/dev/sda" }]);
    expect(actual.takeReport("a")).toBeUndefined();
    actual.markAttached("v", spec, "a", "/dev/sda");
    expect(actual.staleNodes()).toEqual([]);
    actual.markStale("a");
    actual.markStale("b");
    expect(actual.staleNodes()).toEqual(["a"]);
    actual.retract("v", "a");
    expect(actual.takeReport("a")).toEqual([]);
    actual.retract("v", "a");
    expect(actual.staleNodes()).toEqual([]);
    actual.report("v", "a");
    expect(actual.takeReport("a")).toEqual([{ name: "v", devicePath: "/dev/sda" }]);
    actual.markDetached("v", "a");
    actual.report("v", "a");
    expect(actual.takeReport("a")).toEqual([]);
  });

  it("persistentvolume-attach-detach/11 does not report again what could not be detached", () => {
    actual.markAttached("v", spec, "a");
    actual.retract("v", "a");
    actual.takeReport("a");
    actual.markUncertain("v", spec, "a", "failed");
    expect(actual.staleNodes()).toEqual([]);
  });

  it("persistentvolume-attach-detach/8, persistentvolume-attach-detach/13 measures how long a volume should have gone, from the first request on", () => {
    actual.markAttached("v", spec, "a");
    expect([1000, 4000].map((now) => actual.requestDetach("v", "a", now))).toEqual([0, 3000]);
    actual.markUncertain("v", spec, "a", "failed");
    expect(actual.requestDetach("v", "a", 5000)).toBe(4000);
    actual.cancelDetach("v", "a");
    expect(actual.requestDetach("v", "a", 9000)).toBe(0);
    expect(actual.requestDetach("other", "a", 9000)).toBe(0);
    actual.cancelDetach("other", "a");
  });
});

describe("persistentvolume-attach-detach/1, persistentvolume-attach-detach/2, persistentvolume-attach-detach/tests the desired state", () => {
  const web = stored(Pods, { metadata: { name: "web" } });
  const db = stored(Pods, { metadata: { name: "db" } });
  let desired: DesiredState;
  beforeEach(() => {
    desired = new DesiredState();
    desired.addNode("a");
  });

  it("wants nothing on a node that it does not manage", () => {
    desired.addPod(web, { name: "v", spec }, "b");
    expect([desired.isManaged("b"), desired.wants("v", "b"), desired.volumes()]).toEqual([false, false, []]);
  });

  it("wants a volume until the last of its pods is gone", () => {
    desired.addPod(web, { name: "v", spec }, "a");
    desired.addPod(db, { name: "v", spec }, "a");
    desired.addPod(web, { name: "v", spec }, "a");
    expect(desired.volumes().map(({ pods }) => [...pods.keys()])).toEqual([["uid-web", "uid-db"]]);
    desired.removePod("uid-web", "v", "a");
    desired.removePod("uid-web", "v", "a");
    expect(desired.wants("v", "a")).toBe(true);
    desired.removePod("uid-db", "v", "a");
    desired.removePod("uid-db", "v", "a");
    desired.removePod("uid-db", "v", "other");
    expect(desired.wants("v", "a")).toBe(false);
  });

  it("manages a node as long as volumes are wanted there", () => {
    desired.addPod(web, { name: "v", spec }, "a");
    desired.removeNode("a");
    expect(desired.isManaged("a")).toBe(true);
    desired.removePod("uid-web", "v", "a");
    desired.removeNode("a");
    desired.removeNode("a");
    expect(desired.isManaged("a")).toBe(false);
  });

  it("finds the pods that use a volume on other nodes, and remembers reported conflicts", () => {
    desired.addNode("b");
    desired.addPod(web, { name: "v", spec }, "a");
    desired.addPod(db, { name: "v", spec }, "b");
    expect(desired.podsOn(["b", "none"], "v")).toEqual([db]);
    desired.markConflictReported("v", "a");
    desired.markConflictReported("v", "none");
    expect(desired.volumes().map(({ node, isConflictReported }) => [node, isConflictReported])).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });
});
