// The class that a claim or a volume names, and which class claims without one get.
// Upstream: component-helpers/storage/volume/helpers.go; pkg/volume/util/storageclass.go, GetDefaultClass.

import type { PersistentVolume, PersistentVolumeClaim } from "#api/generated/types/core-v1.ts";
import type { StorageClass } from "#api/generated/types/storage-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { newestDefault } from "./default-class.ts";

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
const DEFAULT_ANNOTATIONS = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** The class that the claim names; "" without one. The annotation comes before the field. */
export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";
}

export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";
}

/** The claim says which class it wants; "" says that it wants none. */
export function namesClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata?.annotations?.[CLASS_ANNOTATION] !== undefined || spec?.storageClassName !== undefined;
}

export const defaultClass = (
  classes: readonly StoredCluster<StorageClass>[],
): StoredCluster<StorageClass> | undefined => newestDefault(classes, DEFAULT_ANNOTATIONS);
