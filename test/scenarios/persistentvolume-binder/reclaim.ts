// Released volumes.

import { expect } from "vitest";
import { Events, PersistentVolumes, Pods, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { PersistentVolumeSpec } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import {
  bindTogether,
  createFreeVolume,
  DRIVER,
  leave,
  PROVISIONED_BY,
  untilPhase,
  type Volume,
} from "#test/stage/volume-binding.ts";
import { claimVolume, createPodWith } from "#test/stage/volumes.ts";

/** Creates a released volume of the claim "data" that is not a CSI volume. */
async function leftVolume(stage: Stage, policy: string, source: PersistentVolumeSpec): Promise<string> {
  const volume = await boundVolume(stage, policy, source);
  await leave(stage, "data");
  return volume;
}

async function boundVolume(stage: Stage, policy: string, source: PersistentVolumeSpec): Promise<string> {
  const spec = { persistentVolumeReclaimPolicy: policy };
  const name = await createFreeVolume(stage, "volume", { size: "3Gi", spec, source });
  await stage.settle();
  await bindTogether(stage, "data", name);
  return name;
}

const hostPath = (stage: Stage): PersistentVolumeSpec => ({ hostPath: { path: `/tmp/${stage.name("steersman")}` } });

/** Pods need the service account of their namespace, which no controller of this cast creates. */
async function ensureAccount(stage: Stage): Promise<void> {
  const accounts = stage.of(ServiceAccounts, "default");
  if ((await accounts.find("default")) === undefined) await accounts.create({ metadata: { name: "default" } });
}

/** Acts as a kubelet: ends the recycler pod, and its successors, until the volume is in the phase. */
async function endRecycler(
  stage: Stage,
  volume: string,
  status: { readonly phase: string; readonly message?: string },
  phase: string,
): Promise<Volume> {
  const pods = stage.of(Pods, "default");
  const name = `recycler-for-${volume}`;
  await pods.until(name);
  await stage.settle();
  return await stage.until(`${volume} is ${phase}`, async () => {
    const found = await stage.of(PersistentVolumes).get(volume);
    if (found.status?.phase === phase) return found;
    const pod = await pods.find(name);
    if (pod !== undefined && pod.status?.phase !== status.phase) {
      await pods.patch(name, { status }, { subresource: "status" }).catch(() => undefined); // it is being deleted
    }
    return undefined;
  });
}

/** A recycler pod of a dead manager is deleted, and the next one starts again. */
const BEGUN_AGAIN = {
  where: /creates and deletes › .* pods default\/recycler-for-/,
  reason: "internalRecycleVolumeByWatchingPodUntilCompletion deletes a pod that is there, and makes one later",
};

const TRIED_AGAIN = "the write of the phase brings the volume back, maybe before the operation has ended";

export const reclaimScenarios: readonly ScenarioText[] = [
  {
    name: "persistentvolume-binder/14, persistentvolume-binder/16 leaves the deletion to the driver that made the volume",
    async play(stage) {
      const volume = await createFreeVolume(stage, "volume", {
        metadata: { annotations: { [PROVISIONED_BY]: DRIVER } },
        spec: { persistentVolumeReclaimPolicy: "Delete" },
      });
      await stage.settle();
      await bindTogether(stage, "data", volume);
      await leave(stage, "data");
      await untilPhase(stage, volume, "Released");
      await stage.settle();
      await stage.of(PersistentVolumes).delete(volume);
      await stage.of(PersistentVolumes).untilGone(volume);
    },
  },
  {
    name: "persistentvolume-binder/14 leaves a migrated volume to its CSI driver",
    async play(stage) {
      const volume = await createFreeVolume(stage, "volume", {
        metadata: { annotations: { [PROVISIONED_BY]: "kubernetes.io/aws-ebs" } },
        spec: { persistentVolumeReclaimPolicy: "Delete" },
      });
      await stage.settle();
      await bindTogether(stage, "data", volume);
      await leave(stage, "data");
      await untilPhase(stage, volume, "Released");
      await stage.settle();
      await stage.of(PersistentVolumes).get(volume);
    },
  },
  {
    name: "persistentvolume-binder/16 deletes a host path with its volume",
    chance: [
      {
        where: /writes of phase 4 › .*: persistentvolumes volume-.* › [2-9]|reads of phase 4 › get .*\/volume-/,
        reason: "the volume may be deleted again while its other finalizer keeps it",
      },
    ],
    exceptions: [
      {
        where: /creates and deletes › .*delete persistentvolumes volume-/,
        reason: "deleteVolumeOperation deletes the volume again while its other finalizer keeps it",
      },
    ],
    async play(stage) {
      const volume = await leftVolume(stage, "Delete", hostPath(stage));
      await stage.of(PersistentVolumes).untilGone(volume);
    },
  },
  {
    name: "persistentvolume-binder/16 does not delete a host path that is no temporary one",
    async play(stage) {
      const volume = await leftVolume(stage, "Delete", { hostPath: { path: `/srv/${stage.name("data")}` } });
      await untilPhase(stage, volume, "Failed");
      const end = "host_path deleter only supports /tmp/.+ but received provided";
      await stage.event("VolumeFailedDelete", ({ message }) => message?.startsWith(end) === true);
      await stage.settle();
      expect((await stage.of(PersistentVolumes).get(volume)).status?.message).toContain(end);
    },
  },
  {
    name: "persistentvolume-binder/16 tells of a volume that no plugin can delete",
    async play(stage) {
      const volume = await leftVolume(stage, "Delete", { nfs: { server: "nfs.example.com", path: "/data" } });
      const { status } = await untilPhase(stage, volume, "Failed");
      const problem = "no deletable volume plugin matched";
      expect(status?.message).toBe(`error getting deleter volume plugin for volume "${volume}": ${problem}`);
    },
  },
  {
    name: "persistentvolume-binder/13, persistentvolume-binder/17 recycles a host path with a pod, and frees the volume",
    exceptions: [BEGUN_AGAIN],
    profile: "quick",
    async play(stage) {
      await ensureAccount(stage);
      const volume = await leftVolume(stage, "Recycle", hostPath(stage));
      await stage.calm(async () => void (await untilPhase(stage, volume, "Released")));
      const pods = stage.of(Pods, "default");
      const { spec, metadata } = await pods.until(`recycler-for-${volume}`);
      expect(spec).toMatchObject({ activeDeadlineSeconds: 90, restartPolicy: "Never" });
      expect(spec?.volumes?.[0]?.hostPath?.path).toMatch(/^\/tmp\//);
      await stage.of(Events, "default").create({
        metadata: { name: stage.name("pulled") },
        involvedObject: { kind: "Pod", namespace: "default", name: metadata.name, uid: metadata.uid },
        type: "Normal",
        reason: "Pulled",
        message: "image is there",
        firstTimestamp: formatTime(stage.now()),
        lastTimestamp: formatTime(stage.now()),
        count: 1,
      });
      await stage.event("RecyclerPod", ({ message }) => message === "Recycler pod: image is there");
      const { spec: freed } = await endRecycler(stage, volume, { phase: "Succeeded" }, "Available");
      expect(freed?.claimRef?.uid ?? "").toBe("");
      await stage.event("VolumeRecycled");
      await pods.untilGone(metadata.name);
    },
  },
  {
    name: "persistentvolume-binder/2, persistentvolume-binder/17 tells of a recycler that fails, and tries again",
    virtualOnly: TRIED_AGAIN,
    exceptions: [BEGUN_AGAIN],
    profile: "quick",
    async play(stage) {
      await ensureAccount(stage);
      const volume = await leftVolume(stage, "Recycle", { nfs: { server: "nfs.example.com", path: "/data" } });
      const problem = { phase: "Failed", message: "no such host" };
      const { status } = await endRecycler(stage, volume, problem, "Failed");
      await stage.calm(async () => {
        expect(status?.message).toBe("Recycle failed: failed to recycle volume: no such host");
      });
      await endRecycler(stage, volume, { phase: "Succeeded" }, "Available");
    },
  },
  {
    name: "persistentvolume-binder/17 does not recycle a volume that pods use",
    async play(stage) {
      const volume = await boundVolume(stage, "Recycle", hostPath(stage));
      await createPodWith(stage, "user", claimVolume("data"));
      await stage.settle();
      await leave(stage, "data");
      await stage.event(
        "VolumeFailedRecycle",
        ({ message }) => message?.startsWith("Volume is used by pods: ") === true,
      );
      await untilPhase(stage, volume, "Released");
    },
  },
  {
    name: "persistentvolume-binder/17 tells of a volume that no plugin can recycle",
    chance: [{ where: /reads of phase 4 › get .*\/persistentvolumes\/volume-/, reason: TRIED_AGAIN }],
    async play(stage) {
      const volume = await leftVolume(stage, "Recycle", { csi: { driver: DRIVER, volumeHandle: "x" } });
      const { status } = await untilPhase(stage, volume, "Failed");
      expect(status?.message).toBe("No recycler plugin found for the volume!");
    },
  },
];
