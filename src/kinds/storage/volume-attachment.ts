// Volume attachments. Upstream: pkg/registry/storage/volumeattachment/strategy.go; pkg/apis/storage/v1/defaults.go

import type * as storage from "#api/generated/types/storage-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { at } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { persistentVolumeSource } from "#kinds/pod-spec/volume-defaults.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const volumeAttachment: SchemaOnlyKind<storage.VolumeAttachment> = {
  key: "volumeattachments.storage.k8s.io",
  strategy: schemaOnly({ allowUnconditionalUpdate: false }),
  defaults: at("spec", at("source", at("inlineVolumeSpec", persistentVolumeSource))),
  printer: printer<storage.VolumeAttachment>("Name|Attacher!|PV|Node|Attached:boolean|Age", (object, now) => [
    nameOf(object),
    object.spec?.attacher ?? "",
    object.spec?.source?.persistentVolumeName ?? "",
    object.spec?.nodeName ?? "",
    object.status?.attached ?? false,
    ageOf(object, now),
  ]),
  returnsDeletedObject: true,
};
