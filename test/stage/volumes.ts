// Steps with claims and volumes, for scenarios of several storage controllers.

import { PersistentVolumeClaims, PersistentVolumes, Pods } from "#api/generated/resources/core-v1.ts";
import type { PersistentVolumeClaimSpec, Volume } from "#api/generated/types/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { podSpec, type StoredPod } from "./pods.ts";
import type { Stage } from "./stage.ts";

export type Claim = ObjectOf<typeof PersistentVolumeClaims>;

/** A claim that no volume matches, so that it stays pending. */
export function claimSpec(more: Partial<PersistentVolumeClaimSpec> = {}): PersistentVolumeClaimSpec {
  return {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    storageClassName: "none",
    ...more,
  };
}

export function createClaim(stage: Stage, name: string, more: Partial<PersistentVolumeClaimSpec> = {}): Promise<Claim> {
  return stage.of(PersistentVolumeClaims).create({ metadata: { name }, spec: claimSpec(more) });
}

/** Creates a pod that mounts the volumes. */
export function createPodWith(stage: Stage, name: string, ...volumes: readonly Volume[]): Promise<StoredPod> {
  return stage.of(Pods).create({ metadata: { name }, spec: { ...podSpec, volumes } });
}

export const claimVolume = (claimName: string): Volume => ({ name: "data", persistentVolumeClaim: { claimName } });

/** Creates a volume that only the claim of this name can bind. */
export async function createVolumeFor(stage: Stage, claim: string): Promise<string> {
  const name = stage.name("volume");
  await stage.of(PersistentVolumes).create({
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "none",
      claimRef: { namespace: stage.namespace, name: claim },
      hostPath: { path: "/tmp/steersman-volume" },
    },
  });
  return name;
}

/** Binds the claim as the binder does, if the binder does not run. */
export async function bindClaim(stage: Stage, claim: string, volume: string): Promise<void> {
  await stage.standIn("persistentvolume-binder-controller", async () => {
    const { uid, resourceVersion } = (await stage.of(PersistentVolumeClaims).get(claim)).metadata;
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", uid, resourceVersion };
    await stage.of(PersistentVolumes).patch(volume, { spec: { claimRef } });
    await stage.of(PersistentVolumes).patch(volume, { status: { phase: "Bound" } }, { subresource: "status" });
    await stage.of(PersistentVolumeClaims).patch(claim, { spec: { volumeName: volume } });
    await stage.of(PersistentVolumeClaims).patch(claim, { status: { phase: "Bound" } }, { subresource: "status" });
  });
  await stage.of(PersistentVolumes).until(volume, ({ status }) => status?.phase === "Bound");
  await stage.of(PersistentVolumeClaims).until(claim, ({ status }) => status?.phase === "Bound");
}
