// Volume attachments. Upstream: pkg/registry/storage/volumeattachment/strategy.go; pkg/apis/storage/validation;
// pkg/apis/storage/v1/defaults.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as storage from "#api/generated/types/storage-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { volumeSpec } from "#kinds/core/volume-spec.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, name, type Path } from "#kinds/parts/checks.ts";
import { at } from "#kinds/parts/defaulting.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta } from "#kinds/parts/metadata.ts";
import { put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { persistentVolumeSource } from "#kinds/pod-spec/volume-defaults.ts";
import { csiDriverName } from "#kinds/pod-spec/volume-sources.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";

const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");
const METADATA_BYTES_MAX = 256 * 1024;
const MESSAGE_BYTES_MAX = 1024;
const INT32_MAX = 2 ** 31 - 1;

function validate(attachment: storage.VolumeAttachment): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, attachment.metadata ?? {}, false, isDns1123Subdomain, field.newPath("metadata"));
  const { attacher = "", source = {}, nodeName = "" } = attachment.spec ?? {};
  csiDriverName(errors, attacher, SPEC.child("attacher"));
  validateSource(errors, source, SPEC.child("source"));
  name(errors, nodeName, SPEC.child("nodeName"), isDns1123Subdomain);
  if (attachment.status !== undefined) validateStatus(errors, attachment.status);
  const volume = source.persistentVolumeName;
  if (volume !== undefined) name(errors, volume, field.newPath("spec.source.persistentVolumeName"), isDns1123Subdomain);
  return errors;
}

function validateSource(errors: Errors, source: storage.VolumeAttachmentSource, path: Path): void {
  const { inlineVolumeSpec, persistentVolumeName } = source;
  const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) errors.push(field.required(path, detail));
  else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) {
    errors.push(field.forbidden(path, detail));
  } else if (persistentVolumeName === "") {
    errors.push(field.required(path.child("persistentVolumeName"), "must specify non empty persistentVolumeName"));
  } else if (inlineVolumeSpec !== undefined) {
    volumeSpec(errors, inlineVolumeSpec, "", path.child("inlineVolumeSpec"), { isInline: true });
  }
}

function validateStatus(errors: Errors, status: storage.VolumeAttachmentStatus): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(status.attachmentMetadata ?? {}))
    bytes += byteLength(key) + byteLength(value);
  if (bytes > METADATA_BYTES_MAX) errors.push(field.tooLong(STATUS.child("attachmentMetadata"), METADATA_BYTES_MAX));
  volumeError(errors, status.attachError, STATUS.child("attachError"));
  volumeError(errors, status.detachError, STATUS.child("detachError"));
}

function volumeError(errors: Errors, error: storage.VolumeError | undefined, path: Path): void {
  if (error === undefined) return;
  // As upstream, the error shows the limit for metadata.
  if (byteLength(error.message ?? "") > MESSAGE_BYTES_MAX) {
    errors.push(field.tooLong(path.child("message"), METADATA_BYTES_MAX));
  }
  if (error.errorCode !== undefined && error.errorCode < 0) {
    const detail = `must be between 0 and ${INT32_MAX}, inclusive`;
    errors.push(field.invalid(path.child("errorCode"), error.errorCode, detail));
  }
}

function validateUpdate(attachment: storage.VolumeAttachment, old: storage.VolumeAttachment): field.FieldError[] {
  const errors = validate(attachment);
  if (!semanticEqual(attachment.spec, old.spec)) {
    errors.push(field.invalid(SPEC, internalForm("VolumeAttachmentSpec", attachment.spec ?? {}), IMMUTABLE));
  }
  return errors;
}

function prepareStatus(
  attachment: storage.VolumeAttachment,
  old: storage.VolumeAttachment,
  { gates }: StrategyContext,
): storage.VolumeAttachment {
  const metadata = resetMetaForStatus(attachment.metadata, old.metadata);
  const prepared = put(put(attachment, "spec", old.spec), "metadata", metadata);
  if (gates.isEnabled("MutableCSINodeAllocatableCount") || prepared.status === undefined) return prepared;
  let { status } = prepared;
  for (const part of ["attachError", "detachError"] as const) {
    const error = status[part];
    if (error === undefined || old.status?.[part]?.errorCode !== undefined) continue;
    status = { ...status, [part]: put(error, "errorCode", undefined) };
  }
  return { ...prepared, status };
}

const strategy = kindStrategy<storage.VolumeAttachment>({
  allowUnconditionalUpdate: false,
  resetFields: [["status"]],
  prepareForCreate: (attachment) => ({ ...attachment, status: { attached: false } }),
  validate,
  prepareForUpdate: (attachment, old) => put(attachment, "status", old.status),
  validateUpdate,
  subresources: {
    status: { prepareForUpdate: prepareStatus, validateUpdate, resetFields: [["metadata"], ["spec"]] },
  },
});

export const volumeAttachment: Kind<storage.VolumeAttachment> = {
  key: "volumeattachments.storage.k8s.io",
  strategy,
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
