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
  ],
);
