// Volume attributes classes. Upstream: pkg/registry/storage/volumeattributesclass/strategy.go

import type * as storage from "#api/generated/types/storage-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const volumeAttributesClass: SchemaOnlyKind<storage.VolumeAttributesClass> = {
  key: "volumeattributesclasses.storage.k8s.io",
  strategy: schemaOnly(),
  printer: printer<storage.VolumeAttributesClass>("Name|DriverName|Age", (object, now) => [
    nameOf(object),
    object.driverName ?? "",
    ageOf(object, now),
  ]),
  returnsDeletedObject: true,
};
