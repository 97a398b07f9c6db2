import { describe, expect, it } from "vitest";
import type { OwnerReference } from "#api/meta.ts";
import { goJson } from "#base/go-text.ts";
import type { GraphNode } from "./graph-node.ts";
import {
  dropFinalizerMerge,
  dropOwnersMerge,
  dropOwnersStrategic,
  unblockOwnersMerge,
  unblockOwnersStrategic,
} from "./patches.ts";

const owner = (uid: string, blockOwnerDeletion?: boolean): OwnerReference => ({
  apiVersion: "v1",
  kind: "Pod",
  name: `pod-${uid}`,
  uid,
  ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
});

const node = (owners: readonly OwnerReference[]): GraphNode => ({
  identity: { apiVersion: "v1", kind: "Pod", namespace: "a", name: "web", uid: "100" },
  dependents: new Set(),
  owners,
  isBeingDeleted: false,
  isDeletingDependents: false,
  isVirtual: false,
});

describe("the patches of the garbage collector", () => {
  it("garbage-collector/15 names the references to remove by UID, and includes the object's UID", () => {
    expect(goJson(dropOwnersStrategic("100", ["1", "2"]))).toBe(
      '{"metadata":{"uid":"100","ownerReferences":[{"$patch":"delete","uid":"1"},{"$patch":"delete","uid":"2"}]}}',
    );
  });

  it("garbage-collector/23 as a JSON merge writes the references that remain, or null", () => {
    const current = { resourceVersion: "7", ownerReferences: [owner("1"), owner("2", true), owner("3")] };
    expect(goJson(dropOwnersMerge(current, ["1", "3"]))).toBe(
      '{"metadata":{"resourceVersion":"7","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"pod-2","uid":"2","blockOwnerDeletion":true}]}}',
    );
    expect(goJson(dropOwnersMerge(current, ["1", "2", "3"]))).toBe(
      '{"metadata":{"resourceVersion":"7","ownerReferences":null}}',
    );
    expect(dropOwnersMerge({ resourceVersion: "8" }, ["1"])).toEqual({
      metadata: { resourceVersion: "8", ownerReferences: null },
    });
  });

  it("garbage-collector/16 unblocks the references that block, in JSON merge all of them", () => {
    const subject = node([owner("1", true), owner("2"), owner("3", false)]);
    expect(goJson(unblockOwnersStrategic(subject))).toBe(
      '{"metadata":{"uid":"100","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"pod-1","uid":"1","blockOwnerDeletion":false}]}}',
    );
    expect(unblockOwnersMerge({ resourceVersion: "7" }, subject)).toEqual({
      metadata: { resourceVersion: "7", ownerReferences: [owner("1", false), owner("2", false), owner("3", false)] },
    });
    expect(unblockOwnersStrategic(node([owner("2")]))).toEqual({ metadata: { uid: "100" } });
  });

  it("garbage-collector/22 writes the finalizers that remain, or null; nothing when it is not among them", () => {
    const current = { resourceVersion: "7", finalizers: ["a", "orphan", "b"] };
    expect(goJson(dropFinalizerMerge(current, "orphan"))).toBe(
      '{"metadata":{"resourceVersion":"7","finalizers":["a","b"]}}',
    );
    expect(goJson(dropFinalizerMerge({ resourceVersion: "7", finalizers: ["orphan"] }, "orphan"))).toBe(
      '{"metadata":{"resourceVersion":"7","finalizers":null}}',
    );
    expect(dropFinalizerMerge(current, "foregroundDeletion")).toBeUndefined();
    expect(dropFinalizerMerge({}, "orphan")).toBeUndefined();
  });
});
