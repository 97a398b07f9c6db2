// Checks that the node can attach the pod's CSI volumes besides its current ones. Migrated in-tree volumes are not
// counted.
// Upstream: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go

import type { PersistentVolumeClaim, Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { claimKeysOf } from "#families/volumes/pod-claims.ts";
import { classOfClaim } from "#rules/storage-classes.ts";
import type { ClusterObjects } from "../cluster-objects.ts";
import type { NodeState } from "../node-state.ts";
import { type PreparedFilter, resolvable } from "../rejection.ts";

const TOO_MANY = resolvable("NodeVolumeLimits", "node(s) exceed max volume count");

/** Drivers by volume. */
type Attachable = Map<string, string>;

export function filterVolumeLimits(pod: Stored<Pod>, objects: ClusterObjects): PreparedFilter {
  if (claimKeysOf(pod).length === 0) return undefined;
  const wanted = attachableOf(pod, objects);
  if (wanted.size === 0) return undefined;
  return (node) => {
    const limits = limitsOf(node, objects);
    if (limits.size === 0) return undefined;
    const ofPods = attachedToPods(node, objects);
    const used = new Map<string, number>();
    const count = (driver: string): void => void used.set(driver, (used.get(driver) ?? 0) + 1);
    for (const driver of ofPods.values()) count(driver);
    for (const [volume, driver] of attachmentsOf(node, objects)) if (!ofPods.has(volume)) count(driver);
    const added = [...wanted].filter(([volume]) => !ofPods.has(volume)).map(([, driver]) => driver);
    for (const driver of added) count(driver);
    const isOver = added.some((driver) => (used.get(driver) ?? 0) > (limits.get(driver) ?? Number.POSITIVE_INFINITY));
    return isOver ? TOO_MANY : undefined;
  };
}

function limitsOf({ name }: NodeState, { csiNodes }: ClusterObjects): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name: driver, allocatable } of csiNodes.get(name)?.spec?.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(driver, allocatable.count);
  }
  return limits;
}

function attachedToPods({ pods }: NodeState, objects: ClusterObjects): Attachable {
  const attached: Attachable = new Map();
  for (const { pod } of pods.values()) {
    for (const [volume, driver] of attachableOf(pod, objects)) attached.set(volume, driver);
  }
  return attached;
}

/** Volumes of deleted pods may still be attached. */
function attachmentsOf({ name }: NodeState, objects: ClusterObjects): Attachable {
  const attached: Attachable = new Map();
  for (const { spec } of objects.attachmentsOf(name)) {
    const volume = objects.volumes.get(spec?.source.persistentVolumeName ?? "");
    const csi = volume?.spec?.csi;
    if (csi !== undefined && spec?.attacher) attached.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher);
  }
  return attached;
}

function attachableOf(pod: Stored<Pod>, objects: ClusterObjects): Attachable {
  const attachable: Attachable = new Map();
  for (const key of claimKeysOf(pod)) {
    const claim = objects.claims.get(key);
    const volume = claim === undefined ? undefined : driverAndHandle(claim, objects);
    if (volume !== undefined) attachable.set(`${volume.driver}/${volume.handle}`, volume.driver);
  }
  return attachable;
}

/** A claim without a volume counts for the driver that will provision one. */
function driverAndHandle(
  claim: Stored<PersistentVolumeClaim>,
  { volumes, storageClasses }: ClusterObjects,
): { readonly driver: string; readonly handle: string } | undefined {
  const volume = claim.spec?.volumeName ? volumes.get(claim.spec.volumeName) : undefined;
  if (volume !== undefined) {
    const csi = volume.spec?.csi;
    return csi === undefined ? undefined : { driver: csi.driver, handle: csi.volumeHandle };
  }
  const driver = storageClasses.get(classOfClaim(claim))?.provisioner;
  return driver ? { driver, handle: `unbound ${claim.metadata.namespace}/${claim.metadata.name}` } : undefined;
}
