// The VolumeAttributesClasses that a claim or a volume refers to.
// Upstream: pkg/controller/volume/vacprotection, getPVCReferencedVACNames, getPVReferencedVACNames.

import type { PersistentVolume, PersistentVolumeClaim } from "#api/generated/types/core-v1.ts";

/** The requested class, the current one, and the target of a change. */
export function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
  return named(
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  );
}

export function classesOfVolume({ spec }: PersistentVolume): readonly string[] {
  return named(spec?.volumeAttributesClassName);
}

function named(...names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))] as string[];
}
