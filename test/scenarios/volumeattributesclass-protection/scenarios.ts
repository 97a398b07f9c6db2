// Volume attributes classes that claims or volumes refer to are not removed.

import { expect } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { VolumeAttributesClasses } from "#api/generated/resources/storage-v1.ts";
import type { ObjectReference } from "#api/generated/types/core-v1.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { bindClaim, createClaim } from "#test/stage/volumes.ts";

const FINALIZER = "kubernetes.io/vac-protection";

async function createClass(stage: Stage, base = "gold"): Promise<string> {
  const name = stage.name(base);
  const parameters = { iops: "500" };
  await stage.of(VolumeAttributesClasses).create({ metadata: { name }, driverName: "csi.example.com", parameters });
  return name;
}

/** Creates a volume of the class. */
async function createDisk(
  stage: Stage,
  volumeAttributesClassName: string,
  claimRef?: ObjectReference,
): Promise<string> {
  const name = stage.name("disk");
  await stage.of(PersistentVolumes).create({
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "none",
      volumeAttributesClassName,
      csi: { driver: "csi.example.com", volumeHandle: "handle" },
      ...(claimRef === undefined ? {} : { claimRef }),
    },
  });
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
        const disk = await createDisk(stage, name);
        await deleteInVain(stage, name);
        await stage.of(PersistentVolumes).delete(disk);
        await stage.of(VolumeAttributesClasses).untilGone(name);
      },
    },
    {
      name: "volumeattributesclass-protection/1, volumeattributesclass-protection/tests leaves the finalizers of others, before and behind its own",
      async play(stage) {
        const name = await createClass(stage);
        await stage.settle();
        const classes = stage.of(VolumeAttributesClasses);
        await classes.patch(name, { metadata: { finalizers: ["example.com/mine"] } });
        const { metadata } = await classes.until(name, ({ metadata }) => metadata.finalizers?.length === 2);
        expect(metadata.finalizers).toEqual(["example.com/mine", FINALIZER]);
        await stage.settle();
        await classes.delete(name);
        await classes.until(name, ({ metadata }) => metadata.finalizers?.length === 1);
        await stage.settle();
        expect((await classes.get(name)).metadata.finalizers).toEqual(["example.com/mine"]);
        await classes.patch(name, { metadata: { finalizers: null } });
        await classes.untilGone(name);
      },
    },
    {
      name: "volumeattributesclass-protection/2, volumeattributesclass-protection/tests keeps a class until the last of its claims is deleted",
      async play(stage) {
        const name = await createClass(stage);
        for (const claim of ["first", "second"]) await createClaim(stage, claim, { volumeAttributesClassName: name });
        await deleteInVain(stage, name);
        await stage.of(PersistentVolumeClaims).delete("first");
        await stage.of(PersistentVolumeClaims).untilGone("first");
        await stage.settle();
        expect((await stage.of(VolumeAttributesClasses).get(name)).metadata.finalizers).toEqual([FINALIZER]);
        await stage.of(PersistentVolumeClaims).delete("second");
        await stage.of(VolumeAttributesClasses).untilGone(name);
      },
    },
    {
      name: "volumeattributesclass-protection/3, volumeattributesclass-protection/tests follows a claim and its volume to another class",
      async play(stage) {
        const [old, next] = [await createClass(stage, "old"), await createClass(stage, "next")];
        const volume = await createDisk(stage, old, { namespace: stage.namespace, name: "data" });
        await createClaim(stage, "data", { volumeName: volume, volumeAttributesClassName: old });
        await bindClaim(stage, "data", volume);
        await deleteInVain(stage, old);
        await stage.of(PersistentVolumeClaims).patch("data", { spec: { volumeAttributesClassName: next } });
        await stage.settle();
        expect((await stage.of(VolumeAttributesClasses).get(old)).metadata.finalizers).toEqual([FINALIZER]);
        await stage.of(PersistentVolumes).patch(volume, { spec: { volumeAttributesClassName: next } });
        await stage.settle();
        expect((await stage.of(VolumeAttributesClasses).get(old)).metadata.finalizers).toEqual([FINALIZER]);
        const status = { currentVolumeAttributesClassName: next };
        await stage.of(PersistentVolumeClaims).patch("data", { status }, { subresource: "status" });
        await stage.of(VolumeAttributesClasses).untilGone(old);
        await deleteInVain(stage, next);
      },
    },
    {
      name: "volumeattributesclass-protection/4 is not held by a claim that the cache does not show yet",
      alone: true,
      async play(stage) {
        const name = await createClass(stage);
        await stage.settle();
        stage.hold(PersistentVolumeClaims);
        await createClaim(stage, "data", { volumeAttributesClassName: name });
        await stage.of(VolumeAttributesClasses).delete(name);
        await stage.calm(() => stage.of(VolumeAttributesClasses).untilGone(name));
        stage.release(PersistentVolumeClaims);
        await stage.settle();
        await stage.of(PersistentVolumeClaims).delete("data");
        await stage.of(VolumeAttributesClasses).untilGone(name);
      },
    },
    {
      name: "volumeattributesclass-protection/1, volumeattributesclass-protection/tests runs through the life of a class, twice",
      async play(stage) {
        const classes = stage.of(VolumeAttributesClasses);
        const labels = { play: stage.namespace };
        for (const end of ["delete", "deleteAll"] as const) {
          const name = await createClass(stage);
          expect((await classes.get(name)).metadata.finalizers).toEqual([FINALIZER]);
          await classes.patch(name, { metadata: { labels } });
          await stage.settle();
          expect((await classes.list(`play=${stage.namespace}`)).map(({ metadata }) => metadata.name)).toEqual([name]);
          if (end === "delete") await classes.delete(name);
          else await classes.deleteAll({}, `play=${stage.namespace}`);
          await classes.untilGone(name);
          await stage.settle();
        }
      },
    },
  ],
);
