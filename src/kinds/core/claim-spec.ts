// The spec of a persistent volume claim, alone or as the template of an ephemeral volume.
// Upstream: pkg/apis/core/validation, ValidatePersistentVolumeClaimSpec, ValidatePersistentVolumeClaimTemplate

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Label, isDns1123Subdomain } from "#api/names.ts";

import { type Errors, labelSelector, labels, name, oneOf, type Path } from "#kinds/parts/checks.ts";
import { annotations } from "#kinds/parts/metadata.ts";
import { amount } from "#kinds/parts/quantities.ts";
import { resourceQuantity } from "#kinds/parts/resources.ts";

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

export function claimTemplate(errors: Errors, template: core.PersistentVolumeClaimTemplate, path: Path): void {
  templateMeta(errors, template.metadata ?? {}, path.child("metadata"));
  claimSpec(errors, template.spec ?? {}, path.child("spec"));
}

// Upstream: ValidateTemplateObjectMeta. The rest of the metadata must stay empty.
export function templateMeta(
  errors: Errors,
  meta: NonNullable<core.PersistentVolumeClaimTemplate["metadata"]>,
  path: Path,
): void {
  annotations(errors, meta.annotations, path.child("annotations"));
  labels(errors, meta.labels, path.child("labels"));
  for (const [key, value] of Object.entries(meta)) {
    if (key === "labels" || key === "annotations" || value === undefined || value === null || value === "") continue;
    errors.push(field.forbidden(path.child(key === "uid" ? "uID" : key), "cannot be set"));
  }
}

/** Violations that are allowed because the old claim has them. */
export interface ClaimAllowances {
  readonly invalidSelectorValues?: boolean;
  readonly invalidSourceGroups?: boolean;
}

export function claimSpec(
  errors: Errors,
  spec: core.PersistentVolumeClaimSpec,
  path: Path,
  { invalidSelectorValues = false, invalidSourceGroups = false }: ClaimAllowances = {},
): void {
  const { accessModes = [], dataSource, dataSourceRef } = spec;
  if (accessModes.length === 0) {
    errors.push(field.required(path.child("accessModes"), "at least 1 access mode is required"));
  }
  labelSelector(errors, spec.selector, path.child("selector"), invalidSelectorValues);
  checkAccessModes(errors, accessModes, path.child("accessModes"));
  storageRequest(errors, spec.resources?.requests?.storage, path.child("resources").key("storage"));
  if (spec.storageClassName) name(errors, spec.storageClassName, path.child("storageClassName"), isDns1123Subdomain);
  if (spec.volumeMode !== undefined) oneOf(errors, spec.volumeMode, path.child("volumeMode"), ["Block", "Filesystem"]);
  if (dataSource) source(errors, dataSource, path.child("dataSource"), invalidSourceGroups);
  if (dataSourceRef) {
    source(errors, dataSourceRef, path.child("dataSourceRef"), invalidSourceGroups);
    if (dataSourceRef.namespace)
      name(errors, dataSourceRef.namespace, path.child("dataSourceRef", "namespace"), isDns1123Label);
  }
  if (dataSource && dataSourceRef) bothSources(errors, dataSource, dataSourceRef, path);
  const attributes = spec.volumeAttributesClassName;
  if (attributes) name(errors, attributes, path.child("volumeAttributesClassName"), isDns1123Subdomain);
}

/** Access modes of a claim or a volume. */
export function checkAccessModes(errors: Errors, modes: readonly string[], path: Path): void {
  for (const mode of modes) oneOf(errors, mode, path, ACCESS_MODES);
  const known = new Set(modes.filter((mode) => ACCESS_MODES.includes(mode)));
  if (known.has("ReadWriteOncePod") && known.size > 1) {
    errors.push(field.forbidden(path, "may not use ReadWriteOncePod with other access modes"));
  }
}

function storageRequest(errors: Errors, request: string | undefined, path: Path): void {
  if (request === undefined) {
    errors.push(field.required(path, ""));
    return;
  }
  const quantity = amount(request);
  if (quantity.sign <= 0) errors.push(field.invalid(path, quantity.toString(), "must be greater than zero"));
  else resourceQuantity(errors, "storage", quantity, path);
}

function source(errors: Errors, ref: core.TypedLocalObjectReference, path: Path, allowsGroup: boolean): void {
  if (!ref.name) errors.push(field.required(path.child("name"), ""));
  if (!ref.kind) errors.push(field.required(path.child("kind"), ""));
  if (!ref.apiGroup) {
    if (ref.kind !== "PersistentVolumeClaim") {
      const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
      errors.push(field.invalid(path, ref.kind ?? "", detail));
    }
  } else if (!allowsGroup) name(errors, ref.apiGroup, path.child("apiGroup"), isDns1123Subdomain);
}

// As upstream, the path itself is passed as the bad value, which prints as an empty object.
function bothSources(
  errors: Errors,
  a: core.TypedLocalObjectReference,
  b: core.TypedObjectReference,
  path: Path,
): void {
  if (b.namespace) {
    errors.push(field.invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified"));
  } else if ((a.apiGroup ?? undefined) !== (b.apiGroup ?? undefined) || a.kind !== b.kind || a.name !== b.name) {
    errors.push(field.invalid(path, {}, "must match dataSourceRef"));
  }
}
