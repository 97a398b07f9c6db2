// Storage classes. Upstream: pkg/registry/storage/storageclass/strategy.go; pkg/apis/storage/v1/defaults.go

import type * as storage from "#api/generated/types/storage-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { nil } from "#kinds/parts/defaulting.ts";
import { ageOf, defaultMark, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

function storageClassCells(object: storage.StorageClass, now: EpochMs): unknown[] {
  const mark = defaultMark(
    object,
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  );
  return [
    nameOf(object) + mark,
    object.provisioner ?? "",
    object.reclaimPolicy ?? "Delete",
    object.volumeBindingMode ?? "Immediate",
    object.allowVolumeExpansion ?? false,
    ageOf(object, now),
  ];
}

export const storageClass: SchemaOnlyKind<storage.StorageClass> = {
  key: "storageclasses.storage.k8s.io",
  strategy: schemaOnly(),
  defaults: nil({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  printer: printer("Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age", storageClassCells),
  returnsDeletedObject: true,
};
