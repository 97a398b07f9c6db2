import { expect, it } from "vitest";
import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { PersistentVolumeClaims, Pods } from "#api/generated/resources/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import { stored } from "#api/testing.ts";
import type { StatefulSet } from "./model.ts";
import { blocksCreation, hasForeignController, isOwnedAsWanted, withWantedOwners } from "./retention.ts";

const setOf = (whenDeleted: string, whenScaled: string): StatefulSet =>
  stored(StatefulSets, {
    metadata: { name: "web" },
    spec: {
      replicas: 1,
      selector: {},
      template: {},
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
    },
  });
const inside = stored(Pods, { metadata: { name: "web-0" } });
const outside = stored(Pods, { metadata: { name: "web-1" } });
const claimOf = (...ownerReferences: OwnerReference[]) =>
  stored(PersistentVolumeClaims, { metadata: { name: "data", ownerReferences } });
const foreign = { apiVersion: "v1", kind: "ConfigMap", name: "boss", uid: "x", controller: true };

it.each([
  ["Retain", "Retain", [], []],
  ["Delete", "Retain", ["StatefulSet"], ["StatefulSet"]],
  ["Retain", "Delete", [], ["Pod"]],
  ["Delete", "Delete", ["StatefulSet"], ["Pod"]],
])("statefulset/15 owners when deleted: %s, when scaled: %s", (whenDeleted, whenScaled, ofInside, ofOutside) => {
  const set = setOf(whenDeleted, whenScaled);
  for (const [pod, kinds] of [
    [inside, ofInside],
    [outside, ofOutside],
  ] as const) {
    const before = claimOf(newControllerRef(pod, Pods), newControllerRef(set, StatefulSets));
    expect(isOwnedAsWanted(before, set, pod)).toBe(false);
    const after = withWantedOwners(before, set, pod);
    expect((after.metadata.ownerReferences ?? []).map(({ kind }) => kind)).toEqual([...kinds]);
    expect(isOwnedAsWanted(after, set, pod)).toBe(true);
  }
});

it("statefulset/15 leaves the claims of strangers and of earlier lives alone", () => {
  const set = setOf("Delete", "Delete");
  expect(hasForeignController(claimOf(foreign), set, inside)).toBe(true);
  expect(isOwnedAsWanted(claimOf(foreign), set, inside)).toBe(true);
  const conflicting = claimOf(foreign, newControllerRef(set, StatefulSets));
  expect(isOwnedAsWanted(conflicting, set, inside)).toBe(false);
  expect(withWantedOwners(conflicting, set, inside).metadata.ownerReferences).toEqual([foreign]);
  const stale = claimOf({ ...newControllerRef(inside, Pods), uid: "earlier" });
  expect(isOwnedAsWanted(stale, set, inside)).toBe(true);
  expect(blocksCreation(set, stale, inside)).toBe(true);
  expect(blocksCreation(setOf("Delete", "Retain"), stale, inside)).toBe(false);
});
