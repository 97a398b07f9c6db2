// The annotations and finalizers that a claim or volume needs before any other step: the CSI driver that it is migrated
// to, and the finalizer that keeps a provisioned volume until its storage is deleted.
// Upstream: pkg/controller/volume/persistentvolume/pv_controller_base.go, updateMigrationAnnotations and
// modifyDeletionFinalizers.

import {
  annotated,
  EXTERNAL_FINALIZER,
  hasAnnotation,
  IN_TREE_FINALIZER,
  MIGRATED_TO,
  PROVISIONED_BY,
  PROVISIONER,
  PROVISIONER_BETA,
} from "#families/volumes/binding-annotations.ts";
import type { Claim, Volume } from "#families/volumes/claim-matching.ts";
import { driverOfPlugin } from "#families/volumes/migration.ts";

/** The claim with its annotation; the same claim when it has it. */
export function markedClaim(claim: Claim): Claim {
  const { annotations } = claim.metadata;
  return withMigration(claim, annotations?.[PROVISIONER] ?? annotations?.[PROVISIONER_BETA]);
}

/** The volume with its annotation and finalizers; the same volume when it has them. */
export function markedVolume(volume: Volume): Volume {
  const provisioner = volume.metadata.annotations?.[PROVISIONED_BY];
  if (provisioner === undefined) return volume;
  const marked = withMigration(volume, provisioner);
  const finalizers = rightFinalizers(volume, provisioner);
  return finalizers === undefined ? marked : { ...marked, metadata: { ...marked.metadata, finalizers } };
}

function withMigration<T extends Claim | Volume>(object: T, provisioner: string | undefined): T {
  if (provisioner === undefined) return object;
  const driver = driverOfPlugin(provisioner);
  const known = object.metadata.annotations?.[MIGRATED_TO] ?? "";
  if (driver === undefined) return known === "" ? object : unmigrated(object);
  return known === driver ? object : annotated(object, { [MIGRATED_TO]: driver });
}

/** The provisioner's annotation stays, so the map is never empty. */
function unmigrated<T extends Claim | Volume>(object: T): T {
  const { [MIGRATED_TO]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The finalizers that a provisioned volume must have; undefined when they are right. */
function rightFinalizers(volume: Volume, provisioner: string): string[] | undefined {
  const finalizers = [...(volume.metadata.finalizers ?? [])];
  const without = (name: string): string[] => finalizers.filter((finalizer) => finalizer !== name);
  const isKept = finalizers.includes(IN_TREE_FINALIZER);
  if (driverOfPlugin(provisioner) !== undefined) return isKept ? without(IN_TREE_FINALIZER) : undefined;
  if (!provisioner.startsWith("kubernetes.io/")) return undefined;
  const policy = volume.spec?.persistentVolumeReclaimPolicy;
  const mayGo = policy === "Retain" || policy === "Recycle";
  const right = (isKept && mayGo ? without(IN_TREE_FINALIZER) : finalizers).filter(
    (name) => name !== EXTERNAL_FINALIZER,
  );
  if (policy === "Delete" && !isKept) right.push(IN_TREE_FINALIZER);
  return right.join() === finalizers.join() ? undefined : right;
}

/** The CSI driver does the remaining work on the volume. */
export function isMigrated(volume: Volume): boolean {
  return hasAnnotation(volume, MIGRATED_TO) && volume.metadata.annotations?.[MIGRATED_TO] !== "";
}
