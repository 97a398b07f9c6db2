import { describe, expect, it } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import type { PersistentVolumeClaimStatus, PersistentVolumeSpec } from "#api/generated/types/core-v1.ts";
import { stored } from "#api/testing.ts";
import { boundVolume } from "#families/volumes/bound-volume.ts";
import { boundClaim, claimStatus, unboundVolume } from "./binding.ts";
import { KnownObjects } from "./known-objects.ts";

const BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
const COMPLETED = "pv.kubernetes.io/bind-completed";

const volume = (spec: PersistentVolumeSpec, annotations?: Record<string, string>) =>
  stored(PersistentVolumes, {
    metadata: { name: "v", ...(annotations === undefined ? {} : { annotations }) },
    spec: { capacity: { storage: "2Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
  });
const claim = (status: PersistentVolumeClaimStatus, volumeName = "", annotations: Record<string, string> = {}) =>
  stored(PersistentVolumeClaims, { metadata: { name: "c", annotations }, spec: { volumeName }, status });
const full = {
  kind: "PersistentVolumeClaim",
  apiVersion: "v1",
  namespace: "ns",
  name: "c",
  uid: "uid-c",
  resourceVersion: "1",
};

describe("persistentvolume-binder/8 bound objects", () => {
  it("a free volume refers to the claim and is marked", () => {
    const bound = boundVolume(volume({}), claim({}));
    expect(bound?.spec?.claimRef).toEqual(full);
    expect(bound?.metadata.annotations).toEqual({ [BY_CONTROLLER]: "yes" });
  });

  it("a reserved volume gets the whole reference and no mark", () => {
    const bound = boundVolume(volume({ claimRef: { namespace: "ns", name: "c" } }), claim({}));
    expect(bound?.spec?.claimRef).toEqual(full);
    expect(bound?.metadata.annotations).toBeUndefined();
    expect(boundVolume(volume({ claimRef: full }), claim({}))).toBeUndefined();
  });

  it("a claim that named its volume is completed and not marked", () => {
    expect(boundClaim(claim({}, "v"), volume({}))?.metadata.annotations).toEqual({ [COMPLETED]: "yes" });
    expect(boundClaim(claim({}), volume({}))?.metadata.annotations).toEqual({
      [COMPLETED]: "yes",
      [BY_CONTROLLER]: "yes",
    });
    expect(boundClaim(claim({}, "v", { [COMPLETED]: "yes" }), volume({}))).toBeUndefined();
  });

  it("persistentvolume-binder/13 a volume that is taken back is free, or reserved again", () => {
    const free = unboundVolume(volume({ claimRef: full }, { [BY_CONTROLLER]: "yes" }));
    expect(free.spec?.claimRef).toBeUndefined();
    expect("annotations" in free.metadata).toBe(false);
    const { uid: _, ...reserved } = full;
    expect(unboundVolume(volume({ claimRef: full })).spec?.claimRef).toEqual(reserved);
  });
});

describe("persistentvolume-binder/9 the status of a claim", () => {
  const modes = ["ReadWriteOnce"];
  const bound = { phase: "Bound", accessModes: modes, capacity: { storage: "2Gi" } };
  const gold = volume({ volumeAttributesClassName: "gold" });

  it("takes modes, size and attributes class of the volume when it becomes Bound", () => {
    const status = claimStatus(claim({ phase: "Pending" }), "Bound", gold, true);
    expect(status).toEqual({ ...bound, currentVolumeAttributesClassName: "gold" });
    expect(claimStatus(claim(bound), "Bound", gold, true)).toBeUndefined();
  });

  it("takes no attributes class without the gate", () => {
    expect(claimStatus(claim({ phase: "Pending" }), "Bound", gold, false)).toEqual(bound);
    const known = { phase: "Pending", currentVolumeAttributesClassName: "silver" };
    const status = claimStatus(claim(known), "Bound", gold, false);
    expect(status?.currentVolumeAttributesClassName).toBe("silver");
  });

  it("keeps its size and class while it is Bound, and follows the modes", () => {
    const known = { ...bound, capacity: { storage: "1Gi" }, currentVolumeAttributesClassName: "gold" };
    const status = claimStatus(claim(known), "Bound", volume({ accessModes: ["ReadWriteMany"] }), true);
    expect(status).toEqual({ ...known, accessModes: ["ReadWriteMany"] });
  });

  it("takes the size before a growth, if the annotation is a size", () => {
    const at = (text: string) => volume({}, { "volume.alpha.kubernetes.io/pre-resize-capacity": text });
    expect(claimStatus(claim({ phase: "Pending" }), "Bound", at("1Gi"), true)?.capacity).toEqual({ storage: "1Gi" });
    expect(claimStatus(claim({ phase: "Pending" }), "Bound", at("big"), true)?.capacity).toEqual({ storage: "2Gi" });
  });

  it("cannot be computed for a volume without a size", () => {
    const odd = volume({ capacity: {} });
    expect(() => claimStatus(claim({ phase: "Pending" }), "Bound", odd, true)).toThrow(
      'PersistentVolume "v" is without a storage capacity',
    );
  });

  it("is empty without a volume", () => {
    const known = { ...bound, currentVolumeAttributesClassName: "gold", conditions: [] };
    expect(claimStatus(claim(known), "Lost", undefined, true)).toEqual({ phase: "Lost", conditions: [] });
    expect(claimStatus(claim({ phase: "Pending" }), "Pending", undefined, true)).toBeUndefined();
    expect(claimStatus(claim({ phase: "Pending", capacity: {} }), "Pending", undefined, true)).toEqual({
      phase: "Pending",
    });
  });
});

it("persistentvolume-binder/1 the memory ignores older versions, compared as numbers, and takes equal ones", () => {
  const known = new KnownObjects<ReturnType<typeof volume>>();
  const at = (resourceVersion: string) => stored(PersistentVolumes, { metadata: { name: "v", resourceVersion } });
  expect(known.store(at("9"))).toBe(true);
  expect(known.store(at("10"))).toBe(true);
  expect(known.store(at("9"))).toBe(false);
  expect(known.get("v")?.metadata.resourceVersion).toBe("10");
  expect(known.store(at("10"))).toBe(true);
});
