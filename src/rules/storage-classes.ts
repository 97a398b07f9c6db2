// The storage class of a claim or a volume, and the default class of claims.
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

/** The class of the claim; "" without one. The annotation takes precedence over the field. */
export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";
}

export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";
}

/** True if the claim sets a class; "" explicitly means no class. */
export function namesClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata?.annotations?.[CLASS_ANNOTATION] !== undefined || spec?.storageClassName !== undefined;
}

export const defaultClass = (
  classes: readonly StoredCluster<StorageClass>[],
): StoredCluster<StorageClass> | undefined => newestDefault(classes, DEFAULT_ANNOTATIONS);
