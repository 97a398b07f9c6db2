// Bound claims and volumes.

import { expect } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  bindTogether,
  createClaim,
  createFreeVolume,
  createVolume,
  keepsBonds,
  leave,
  touch,
  untilBound,
  untilPhase,
} from "#test/stage/volume-binding.ts";

const isLost = ({ status }: { readonly status?: { readonly phase?: string } }): boolean => status?.phase === "Lost";

/** Deletes a volume although it is in use. */
async function destroy(stage: Stage, volume: string): Promise<void> {
  await stage.of(PersistentVolumes).delete(volume);
  await stage.settle();
  await stage.of(PersistentVolumes).patch(volume, { metadata: { finalizers: null } });
  await stage.of(PersistentVolumes).untilGone(volume);
}

export const boundScenarios: readonly ScenarioText[] = [
  {
    name: "persistentvolume-binder/2, persistentvolume-binder/10 gives a claim up whose volume is gone, until one of that name comes",
    async play(stage) {
      const volume = await createFreeVolume(stage, "volume");
      await stage.settle();
      await bindTogether(stage, "data", volume);
      await destroy(stage, volume);
      const claim = await stage.of(PersistentVolumeClaims).until("data", isLost);
      expect(claim.status?.capacity).toBeUndefined();
      await stage.event("ClaimLost", ({ message }) => message?.includes("lost its PersistentVolume") === true);
      await stage.settle();
      await createVolume(stage, "volume");
      await stage.settle();
      await touch(stage, "data");
      await untilBound(stage, "data", volume);
    },
  },
  {
    name: "persistentvolume-binder/10 gives a claim up that has lost the name of its volume",
    async play(stage) {
      await createClaim(stage, "data", { metadata: { annotations: { [BIND_COMPLETED]: "yes" } } });
      await stage.of(PersistentVolumeClaims).until("data", isLost);
      await stage.event("ClaimLost", ({ message }) => message?.includes("lost reference to PersistentVolume") === true);
    },
  },
  {
    name: "persistentvolume-binder/10 gives a claim up whose volume another claim has",
    async play(stage) {
      const volume = await createFreeVolume(stage, "volume");
      await stage.settle();
      await bindTogether(stage, "data", volume);
      await createClaim(stage, "second", {
        metadata: { annotations: { [BIND_COMPLETED]: "yes" } },
        spec: { volumeName: volume },
      });
      await stage.of(PersistentVolumeClaims).until("second", isLost);
      await stage.event("ClaimMisbound");
      expect((await stage.of(PersistentVolumes).get(volume)).spec?.claimRef?.name).toBe("data");
    },
  },
  {
    name: "persistentvolume-binder/10, persistentvolume-binder/11 binds a bound claim again whose volume has come loose",
    async play(stage) {
      const volume = await createFreeVolume(stage, "volume");
      await stage.settle();
      const { metadata } = await bindTogether(stage, "data", volume);
      await stage.of(PersistentVolumes).patch(volume, { spec: { claimRef: null } });
      await stage.calm(async () => void (await untilPhase(stage, volume, "Available")));
      await stage.settle();
      await touch(stage, "data");
      await stage.of(PersistentVolumes).until(volume, ({ spec }) => spec?.claimRef?.uid === metadata.uid);
      await untilPhase(stage, volume, "Bound");
    },
  },
  {
    name: "persistentvolume-binder/9 takes the size before a growth that a node has to finish",
    async play(stage) {
      const annotations = { "volume.alpha.kubernetes.io/pre-resize-capacity": "1Gi" };
      const volume = await createFreeVolume(stage, "volume", { size: "4Gi", metadata: { annotations } });
      await stage.settle();
      const { status } = await bindTogether(stage, "data", volume);
      expect(status?.capacity?.storage).toBe("1Gi");
      await stage
        .of(PersistentVolumeClaims)
        .patch("data", { status: { capacity: { storage: "2Gi" } } }, { subresource: "status" });
      await stage.settle();
      expect((await stage.of(PersistentVolumeClaims).get("data")).status?.capacity?.storage).toBe("2Gi");
    },
  },
  {
    name: "persistentvolume-binder/11, persistentvolume-binder/13, persistentvolume-binder/14 releases and retains the volume of a claim that is deleted",
    async play(stage) {
      const volume = await createFreeVolume(stage, "volume");
      await stage.settle();
      await bindTogether(stage, "data", volume);
      keepsBonds(stage, volume);
      await leave(stage, "data");
      await untilPhase(stage, volume, "Released");
      await stage.settle();
      await createClaim(stage, "data");
      await stage.settle();
      expect((await stage.of(PersistentVolumes).get(volume)).status?.phase).toBe("Released");
      expect((await stage.of(PersistentVolumeClaims).get("data")).status?.phase).toBe("Pending");
    },
  },
  {
    name: "persistentvolume-binder/12, persistentvolume-binder/13 releases a volume that refers to an older claim of the same name",
    async play(stage) {
      await createClaim(stage, "data", { size: "2Gi" });
      await stage.settle();
      const claimRef = { namespace: stage.namespace, name: "data", uid: "00000000-0000-0000-0000-000000000001" };
      const volume = await createVolume(stage, "volume", { spec: { claimRef } });
      await untilPhase(stage, volume, "Released");
    },
  },
  {
    name: "persistentvolume-binder/13 takes a volume back from a claim that has another one",
    async play(stage) {
      const first = await createFreeVolume(stage, "first");
      await stage.settle();
      const { metadata } = await bindTogether(stage, "data", first);
      const claimRef = { namespace: stage.namespace, name: "data", uid: metadata.uid };
      const annotations = { [BOUND_BY_CONTROLLER]: "yes" };
      const second = await createVolume(stage, "second", { metadata: { annotations }, spec: { claimRef } });
      await untilPhase(stage, second, "Available");
      const third = await createVolume(stage, "third", { spec: { claimRef } });
      await untilPhase(stage, third, "Available");
      await stage.settle();
      expect((await stage.of(PersistentVolumes).get(second)).spec?.claimRef).toBeUndefined();
      expect((await stage.of(PersistentVolumes).get(third)).spec?.claimRef).toMatchObject({ name: "data" });
      expect((await stage.of(PersistentVolumes).get(third)).spec?.claimRef?.uid ?? "").toBe("");
      await untilBound(stage, "data", first);
    },
  },
];
