// The class that a claim or a volume names, and which class claims without one get.
// Upstream: component-helpers/storage/volume/helpers.go; pkg/volume/util/storageclass.go, GetDefaultClass.

import type { PersistentVolume, PersistentVolumeClaim } from "#api/generated/types/core-v1.ts";
import type { StorageClass } from "#api/generated/types/storage-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { parseTime } from "#api/time.ts";

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

/** Of several default classes the newest counts, of equally old ones the first by name. */
export function defaultClass(classes: readonly StoredCluster<StorageClass>[]): StoredCluster<StorageClass> | undefined {
  const defaults = classes.filter(({ metadata: { annotations } }) =>
    DEFAULT_ANNOTATIONS.some((name) => annotations?.[name] === "true"),
  );
  const createdAt = ({ metadata }: StoredCluster<StorageClass>): number => parseTime(metadata.creationTimestamp);
  return defaults.toSorted((a, b) => createdAt(b) - createdAt(a) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}
