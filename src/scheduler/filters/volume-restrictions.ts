// Checks that no other pod blocks the pod's volumes: claims for one pod only, and disks with a single writer.
// Upstream: pkg/scheduler/framework/plugins/volumerestrictions

import type { Pod, Volume } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { Stored } from "#api/resource.ts";
import type { ClusterObjects } from "../cluster-objects.ts";
import type { ClusterState } from "../cluster-state.ts";
import { type PreparedFilter, resolvable, unresolvable } from "../rejection.ts";

const DISK_CONFLICT = resolvable("VolumeRestrictions", "node(s) had no available disk");
const CLAIM_CONFLICT = resolvable(
  "VolumeRestrictions",
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
);

export function filterVolumeRestrictions(
  { metadata: { namespace }, spec }: Stored<Pod>,
  state: ClusterState,
  { claims }: Pick<ClusterObjects, "claims">,
): PreparedFilter {
  const volumes = spec?.volumes ?? [];
  let isClaimInUse = false;
  for (const { persistentVolumeClaim } of volumes) {
    if (persistentVolumeClaim === undefined) continue;
    const key = `${namespace}/${persistentVolumeClaim.claimName}`;
    const claim = claims.get(key);
    if (claim === undefined) {
      const reason = `persistentvolumeclaim ${goQuote(persistentVolumeClaim.claimName)} not found`;
      return unresolvable("VolumeRestrictions", reason);
    }
    if (claim.spec?.accessModes?.includes("ReadWriteOncePod") && state.isClaimInUse(key)) isClaimInUse = true;
  }
  const disks = volumes.filter(isExclusiveDisk);
  if (disks.length === 0 && !isClaimInUse) return undefined;
  return ({ pods }) => {
    for (const { pod } of pods.values()) {
      const others = pod.spec?.volumes ?? [];
      if (disks.some((disk) => others.some((other) => clash(disk, other)))) return DISK_CONFLICT;
    }
    return isClaimInUse ? CLAIM_CONFLICT : undefined;
  };
}

function isExclusiveDisk({ gcePersistentDisk, awsElasticBlockStore, rbd, iscsi }: Volume): boolean {
  return [gcePersistentDisk, awsElasticBlockStore, rbd, iscsi].some((source) => source !== undefined);
}

function clash(volume: Volume, other: Volume): boolean {
  const { gcePersistentDisk: disk, awsElasticBlockStore: ebs, iscsi, rbd } = volume;
  const isShared = (a: { readonly readOnly?: boolean }, b: { readonly readOnly?: boolean }): boolean =>
    a.readOnly === true && b.readOnly === true;
  if (disk !== undefined && other.gcePersistentDisk !== undefined) {
    if (disk.pdName === other.gcePersistentDisk.pdName && !isShared(disk, other.gcePersistentDisk)) return true;
  }
  if (ebs !== undefined && ebs.volumeID === other.awsElasticBlockStore?.volumeID) return true;
  if (iscsi !== undefined && other.iscsi !== undefined) {
    if (iscsi.iqn === other.iscsi.iqn && !isShared(iscsi, other.iscsi)) return true;
  }
  if (rbd === undefined || other.rbd === undefined) return false;
  const { monitors, pool, image } = rbd;
  const isSame = pool === other.rbd.pool && image === other.rbd.image;
  return isSame && monitors.some((monitor) => other.rbd?.monitors.includes(monitor)) && !isShared(rbd, other.rbd);
}
