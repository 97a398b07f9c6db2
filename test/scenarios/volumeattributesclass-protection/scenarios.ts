// Attribute classes that claims or volumes refer to are not removed.

import { expect } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { VolumeAttributesClasses } from "#api/generated/resources/storage-v1.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { createClaim, createVolumeFor } from "#test/stage/volumes.ts";

const FINALIZER = "kubernetes.io/vac-protection";

async function createClass(stage: Stage, base = "gold"): Promise<string> {
  const name = stage.name(base);
  const parameters = { iops: "500" };
  await stage.of(VolumeAttributesClasses).create({ metadata: { name }, driverName: "csi.example.com", parameters });
  return name;
}

async function deleteInVain(stage: Stage, name: string): Promise<void> {
  await stage.settle();
  await stage.of(VolumeAttributesClasses).delete(name);
  await stage.settle();
  expect((await stage.of(VolumeAttributesClasses).get(name)).metadata.finalizers).toEqual([FINALIZER]);
}

export const scenarios: readonly Scenario[] = scenariosOf(
  "volumeattributesclass-protection-controller",
  { cast: "storage" },
  [
    {
      name: "volumeattributesclass-protection/1 gives the finalizer back to a living class",
      async play(stage) {
        const name = await createClass(stage);
        await stage.settle();
        await stage.of(VolumeAttributesClasses).patch(name, { metadata: { finalizers: null } });
        await stage.of(VolumeAttributesClasses).until(name, ({ metadata }) => metadata.finalizers?.[0] === FINALIZER);
      },
    },
    {
      name: "volumeattributesclass-protection/1 lets a class go that nothing refers to",
      async play(stage) {
        const name = await createClass(stage);
        await stage.settle();
        await stage.of(VolumeAttributesClasses).delete(name);
        await stage.of(VolumeAttributesClasses).untilGone(name);
      },
    },
    {
      name: "volumeattributesclass-protection/2, volumeattributesclass-protection/3 keeps a class until its claim is deleted",
      async play(stage) {
        const name = await createClass(stage);
        await createClaim(stage, "data", { volumeAttributesClassName: name });
        await deleteInVain(stage, name);
        await stage.of(PersistentVolumeClaims).delete("data");
        await stage.of(VolumeAttributesClasses).untilGone(name);
      },
    },
    {
      name: "volumeattributesclass-protection/2, volumeattributesclass-protection/3 keeps the class that a claim has now, or is changing to",
      async play(stage) {
        const [current, target] = [await createClass(stage, "current"), await createClass(stage, "target")];
        await createClaim(stage, "data");
        const status = {
          currentVolumeAttributesClassName: current,
          modifyVolumeStatus: { targetVolumeAttributesClassName: target, status: "InProgress" },
        };
        await stage.of(PersistentVolumeClaims).patch("data", { status }, { subresource: "status" });
        await deleteInVain(stage, current);
        await deleteInVain(stage, target);
        const done = { currentVolumeAttributesClassName: target, modifyVolumeStatus: null };
        await stage.of(PersistentVolumeClaims).patch("data", { status: done }, { subresource: "status" });
        await stage.of(VolumeAttributesClasses).untilGone(current);
        expect(await stage.of(VolumeAttributesClasses).find(target)).toBeDefined();
        await stage.of(PersistentVolumeClaims).delete("data");
        await stage.of(VolumeAttributesClasses).untilGone(target);
      },
    },
    {
      name: "volumeattributesclass-protection/2, volumeattributesclass-protection/3 keeps a class until no volume has it",
      async play(stage) {
        const name = await createClass(stage);
        const volume = await createVolumeFor(stage, "data");
        const csi = { driver: "csi.example.com", volumeHandle: "handle" };
        await stage.of(PersistentVolumes).delete(volume);
        await stage.of(PersistentVolumes).untilGone(volume);
        const disk = stage.name("disk");
        await stage.of(PersistentVolumes).create({
          metadata: { name: disk },
          spec: {
            capacity: { storage: "1Gi" },
            accessModes: ["ReadWriteOnce"],
            storageClassName: "none",
            volumeAttributesClassName: name,
            csi,
          },
        });
        await deleteInVain(stage, name);
        await stage.of(PersistentVolumes).delete(disk);
        await stage.of(VolumeAttributesClasses).untilGone(name);
      },
    },
  ],
);
