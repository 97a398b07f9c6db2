// Volumes that are bound are not removed.

import { expect } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { bindClaim, createClaim, createVolumeFor } from "#test/stage/volumes.ts";

const FINALIZER = "kubernetes.io/pv-protection";

async function bound(stage: Stage): Promise<string> {
  const volume = await createVolumeFor(stage, "data");
  await createClaim(stage, "data", { volumeName: volume });
  await bindClaim(stage, "data", volume);
  await stage.settle();
  return volume;
}

/** Creates a volume that no claim requests. */
async function createHostPathVolume(stage: Stage, name: string): Promise<void> {
  await stage.of(PersistentVolumes).create({
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: stage.name("unwanted"),
      hostPath: { path: "/tmp/steersman-volume" },
    },
  });
}

/** Deletes the claim; the binder, or its stand-in, releases the volume. */
async function release(stage: Stage, volume: string): Promise<void> {
  await stage.of(PersistentVolumeClaims).delete("data");
  await stage.of(PersistentVolumeClaims).untilGone("data");
  await stage.standIn("persistentvolume-binder-controller", async () => {
    await stage.of(PersistentVolumes).patch(volume, { status: { phase: "Released" } }, { subresource: "status" });
  });
}

export const scenarios: readonly Scenario[] = scenariosOf(
  "persistentvolume-protection-controller",
  { cast: "storage" },
  [
    {
      name: "persistentvolume-protection/1 gives the finalizer back to a living volume",
      async play(stage) {
        const volume = await createVolumeFor(stage, "data");
        await stage.settle();
        await stage.of(PersistentVolumes).patch(volume, { metadata: { finalizers: null } });
        const { metadata } = await stage
          .of(PersistentVolumes)
          .until(volume, ({ metadata }) => metadata.finalizers !== undefined);
        expect(metadata.finalizers).toEqual([FINALIZER]);
      },
    },
    {
      name: "persistentvolume-protection/2 lets a volume go that is not bound",
      async play(stage) {
        const volume = await createVolumeFor(stage, "data");
        await stage.settle();
        await stage.of(PersistentVolumes).delete(volume);
        await stage.of(PersistentVolumes).untilGone(volume);
      },
    },
    {
      name: "persistentvolume-protection/2 keeps a volume until it is not bound any more",
      async play(stage) {
        const volume = await bound(stage);
        await stage.of(PersistentVolumes).delete(volume);
        await stage.settle();
        expect((await stage.of(PersistentVolumes).get(volume)).metadata.finalizers).toContain(FINALIZER);
        await release(stage, volume);
        await stage.of(PersistentVolumes).untilGone(volume);
      },
    },
    {
      name: "persistentvolume-protection/2 leaves the finalizers of others on a deleted volume",
      async play(stage) {
        const volume = await createVolumeFor(stage, "data");
        const finalizers = ["example.com/hold", FINALIZER];
        await stage.of(PersistentVolumes).patch(volume, { metadata: { finalizers } });
        await stage.settle();
        await stage.of(PersistentVolumes).delete(volume);
        await stage.of(PersistentVolumes).until(volume, ({ metadata }) => metadata.finalizers?.length === 1);
        await stage.settle();
        expect((await stage.of(PersistentVolumes).get(volume)).metadata.finalizers).toEqual(["example.com/hold"]);
        await stage.of(PersistentVolumes).patch(volume, { metadata: { finalizers: null } });
        await stage.of(PersistentVolumes).untilGone(volume);
      },
    },
    {
      name: "persistentvolume-protection/1, persistentvolume-protection/tests gives the finalizer back to a bound volume, behind the others",
      async play(stage) {
        const volume = await bound(stage);
        const finalizers = ["example.com/mine"];
        await stage.of(PersistentVolumes).patch(volume, { metadata: { finalizers } });
        const { metadata } = await stage
          .of(PersistentVolumes)
          .until(volume, ({ metadata }) => metadata.finalizers?.includes(FINALIZER) ?? false);
        expect(metadata.finalizers).toEqual([...finalizers, FINALIZER]);
      },
    },
    {
      name: "persistentvolume-protection/2, persistentvolume-protection/tests lets a released volume go",
      async play(stage) {
        const volume = await bound(stage);
        await release(stage, volume);
        await stage.of(PersistentVolumes).until(volume, ({ status }) => status?.phase === "Released");
        await stage.settle();
        expect((await stage.of(PersistentVolumes).get(volume)).metadata.finalizers).toEqual([FINALIZER]);
        await stage.of(PersistentVolumes).delete(volume);
        await stage.of(PersistentVolumes).untilGone(volume);
      },
    },
    {
      name: "persistentvolume-protection/2, persistentvolume-protection/tests decides for each volume by its own phase",
      async play(stage) {
        const volume = await bound(stage);
        const free = stage.name("free");
        await createHostPathVolume(stage, free);
        await stage.of(PersistentVolumes).until(free, ({ status }) => status?.phase === "Available");
        await stage.settle();
        await stage.of(PersistentVolumes).delete(volume);
        await stage.of(PersistentVolumes).delete(free);
        await stage.of(PersistentVolumes).untilGone(free);
        await stage.settle();
        expect((await stage.of(PersistentVolumes).get(volume)).metadata.finalizers).toEqual([FINALIZER]);
        await release(stage, volume);
        await stage.of(PersistentVolumes).untilGone(volume);
      },
    },
    {
      name: "persistentvolume-protection/1, persistentvolume-protection/2 protects, and lets go, what changed while no manager ran",
      alone: true,
      async play(stage) {
        const [living, deleted] = [stage.name("living"), stage.name("deleted")];
        await createHostPathVolume(stage, living);
        await createHostPathVolume(stage, deleted);
        for (const name of [living, deleted]) {
          await stage.of(PersistentVolumes).until(name, ({ status }) => status?.phase === "Available");
        }
        await stage.settle();
        await stage.restart(async () => {
          await stage.of(PersistentVolumes).patch(living, { metadata: { finalizers: null } });
          await stage.of(PersistentVolumes).delete(deleted);
        });
        await stage.of(PersistentVolumes).untilGone(deleted);
        await stage
          .of(PersistentVolumes)
          .until(living, ({ metadata }) => metadata.finalizers?.includes(FINALIZER) ?? false);
      },
    },
    {
      name: "persistentvolume-protection/2, persistentvolume-protection/tests adds nothing to a volume that is deleted and lacks the finalizer",
      async play(stage) {
        const volume = await bound(stage);
        await stage.of(PersistentVolumes).patch(volume, { metadata: { finalizers: ["example.com/hold", FINALIZER] } });
        await stage.settle();
        await stage.of(PersistentVolumes).delete(volume);
        await stage.settle();
        await stage.of(PersistentVolumes).patch(volume, { metadata: { finalizers: ["example.com/hold"] } });
        await stage.settle();
        expect((await stage.of(PersistentVolumes).get(volume)).metadata.finalizers).toEqual(["example.com/hold"]);
      },
    },
  ],
);
