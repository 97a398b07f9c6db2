// The claims of a pod's volumes, by name and by index.
// Upstream: component-helpers/storage/ephemeral; pkg/controller/volume/common, PodPVCIndexFunc; pkg/volume/util,
// IsPodTerminated.

import type { ContainerStatus, PersistentVolumeClaim, Pod, Volume } from "#api/generated/types/core-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import { isControlledBy } from "#api/owner-refs.ts";
import type { Stored } from "#api/resource.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { isPodTerminal } from "#rules/pod-status.ts";

const BY_CLAIM = "pod-pvc-index";

/** The name of the claim that an ephemeral volume of the pod gets. */
export function ephemeralClaimName(pod: Stored<Pod>, volume: Volume): string {
  return `${pod.metadata.name}-${volume.name}`;
}

/** The pod controls the claim. Another claim of that name may hold a user's data. */
export function isClaimOfPod(claim: Stored<PersistentVolumeClaim>, pod: Stored<Pod>): boolean {
  return claim.metadata.namespace === pod.metadata.namespace && isControlledBy(claim, pod);
}

/** The name of the volume's claim; undefined for a volume that has none. */
export function claimNameOf(pod: Stored<Pod>, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : ephemeralClaimName(pod, volume);
}

export function claimKeysOf(pod: Stored<Pod>): readonly ObjectKey[] {
  const names = (pod.spec?.volumes ?? []).flatMap((volume) => claimNameOf(pod, volume) ?? []);
  return [...new Set(names)].map((name) => `${pod.metadata.namespace}/${name}`);
}

/** Adds the index unless another controller already has. */
export function addClaimIndex(pods: SharedInformer<Stored<Pod>>): void {
  if (!pods.store.hasIndex(BY_CLAIM)) pods.addIndexers({ [BY_CLAIM]: claimKeysOf });
}

export function podsOfClaim(pods: SharedInformer<Stored<Pod>>, claim: ObjectKey): readonly Stored<Pod>[] {
  return pods.store.byIndex(BY_CLAIM, claim);
}

/** The pod no longer uses volumes: it has ended, or it is deleted and no container runs. */
export function hasStoppedUsingVolumes(pod: Stored<Pod>): boolean {
  if (isPodTerminal(pod)) return true;
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const statuses = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  return pod.metadata.deletionTimestamp !== undefined && statuses.every(isNotRunning);
}

function isNotRunning({ state }: ContainerStatus): boolean {
  return state?.terminated !== undefined || state?.waiting !== undefined;
}
