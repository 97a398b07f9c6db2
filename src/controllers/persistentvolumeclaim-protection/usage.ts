// Whether a pod uses a claim. Upstream: pkg/controller/volume/pvcprotection, podUsesPVCForDeletion, podUsesPVCForUnusedSince.

import type { PersistentVolumeClaim, Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { claimNameOf, hasStoppedUsingVolumes, isClaimOfPod } from "#families/volumes/pod-claims.ts";

export type Uses = (pod: Stored<Pod>, claim: Stored<PersistentVolumeClaim>) => boolean;

/**
 * A pod on a node blocks the deletion of its claims, even if it has ended. A pod without a node cannot start without
 * the claim.
 */
export const blocksDeletion: Uses = (pod, claim) => {
  if ((pod.spec?.nodeName ?? "") === "") return false;
  return refersTo(pod, claim, !isShutDown(pod));
};

/** For the condition Unused every pod counts that may still run, with or without a node. */
export const keepsInUse: Uses = (pod, claim) => !hasStoppedUsingVolumes(pod) && refersTo(pod, claim, true);

function refersTo(pod: Stored<Pod>, claim: Stored<PersistentVolumeClaim>, countsEphemeral: boolean): boolean {
  return (pod.spec?.volumes ?? []).some((volume) => {
    if (claimNameOf(pod, volume) !== claim.metadata.name) return false;
    return volume.persistentVolumeClaim !== undefined || (countsEphemeral && isClaimOfPod(claim, pod));
  });
}

/** The kubelet has ended the pod; only its deletion is missing. */
function isShutDown({ metadata }: Stored<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}
