// Resolves the volumes of a pod through their claims and translates them to CSI.
// Upstream: pkg/controller/volume/attachdetach/util, CreateVolumeSpec.

import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from "#api/generated/types/core-v1.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { errorMessage } from "#base/errors.ts";
import type { Lister } from "#informers/informer.ts";
import { translatedToCsi } from "./csi-translation.ts";
import { claimNameOf, isClaimOfPod } from "./pod-claims.ts";
import type { VolumeSpec } from "./volume-spec.ts";

export interface VolumeListers {
  readonly claims: Lister<Stored<PersistentVolumeClaim>>;
  readonly volumes: Lister<StoredCluster<PersistentVolume>>;
}

/** Throws while a claim or a volume is missing or they are not bound to each other. */
export function volumeSpecOf(pod: Stored<Pod>, volume: Volume, listers: VolumeListers): VolumeSpec {
  const claimName = claimNameOf(pod, volume) ?? "";
  const { namespace } = pod.metadata;
  const claim = `PVC "${namespace}"/"${claimName}"`;
  const found = claimName === "" ? inPod(volume) : explained(claim, () => behindClaim(pod, volume, claimName, listers));
  const migration = `error performing CSI migration checks and translation for ${claim}`;
  return explained(migration, () => translatedToCsi(found, namespace));
}

const inPod = (volume: Volume): VolumeSpec => ({ volume, isMigrated: false, isInline: false });

export const persistentVolumeSpec = (persistentVolume: PersistentVolume): VolumeSpec => ({
  persistentVolume,
  isMigrated: false,
  isInline: false,
});

function explained<T>(what: string, find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}

function behindClaim(pod: Stored<Pod>, volume: Volume, name: string, { claims, volumes }: VolumeListers): VolumeSpec {
  const key = `${pod.metadata.namespace}/${name}`;
  const claim = claims.get(key);
  if (claim === undefined) throw new Error(`failed to find PVC ${key} in PVCInformer cache`);
  const volumeName = claim.spec?.volumeName ?? "";
  const phase = claim.status?.phase ?? "";
  if (phase !== "Bound" || volumeName === "") {
    throw new Error(`PVC ${key} has non-bound phase ("${phase}") or empty pvc.Spec.VolumeName ("${volumeName}")`);
  }
  if (volume.ephemeral !== undefined && !isClaimOfPod(claim, pod)) {
    throw new Error(
      `PVC ${key} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`,
    );
  }
  const persistentVolume = volumes.get(volumeName);
  if (persistentVolume === undefined) throw new Error(`failed to find PV "${volumeName}" in PVInformer cache`);
  const uid = persistentVolume.spec?.claimRef?.uid ?? "";
  if (uid !== claim.metadata.uid) {
    const both = `pv.Spec.ClaimRef.UID ("${uid}") does not point to claim.UID ("${claim.metadata.uid}")`;
    throw new Error(`found PV object "${volumeName}" but its ${both}`);
  }
  return persistentVolumeSpec(persistentVolume);
}
