// Validation of persistent volume claims: create, update and status update.
// Upstream: pkg/apis/core/validation, ValidatePersistentVolumeClaim, ValidatePersistentVolumeClaimUpdate,
// ValidatePersistentVolumeClaimStatusUpdate

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Subdomain, isQualifiedName } from "#api/names.ts";
import { type Errors, hasLabelSelectorErrors, IMMUTABLE, type Path } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put } from "#kinds/parts/preparing.ts";
import { amount } from "#kinds/parts/quantities.ts";
import { isNativeResource, resourceQuantity } from "#kinds/parts/resources.ts";
import { diffJson } from "#kinds/parts/unified-diff.ts";
import { type ClaimAllowances, claimSpec } from "./claim-spec.ts";

export const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");
const REQUEST = SPEC.child("resources", "requests", "storage");
const ATTRIBUTES_CLASS = SPEC.child("volumeAttributesClassName");

export function validateClaim(
  { metadata = {}, spec = {} }: core.PersistentVolumeClaim,
  allowed: ClaimAllowances,
): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, metadata, true, isDns1123Subdomain, METADATA);
  claimSpec(errors, spec, SPEC, allowed);
  return errors;
}

function allowances({ spec }: core.PersistentVolumeClaim): ClaimAllowances {
  return {
    invalidSelectorValues: hasLabelSelectorErrors(spec?.selector),
    invalidSourceGroups: [spec?.dataSource, spec?.dataSourceRef].some((source) => typeof source?.apiGroup === "string"),
  };
}

export function validateClaimUpdate(
  claim: core.PersistentVolumeClaim,
  old: core.PersistentVolumeClaim,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, claim.metadata ?? {}, old.metadata ?? {}, METADATA);
  errors.push(...validateClaim(claim, allowances(old)));
  const [masked, oldMasked] = withoutAllowedChanges(errors, claim, old);
  if (!semanticEqual(masked, oldMasked)) {
    const diff = diffJson(
      internalForm("PersistentVolumeClaimSpec", oldMasked),
      internalForm("PersistentVolumeClaimSpec", masked),
    );
    const detail =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    errors.push(field.forbidden(SPEC, `${detail}\n${diff}`));
  }
  sizeUpdate(errors, claim, old);
  if (claim.spec?.volumeMode !== old.spec?.volumeMode) {
    errors.push(field.invalid(field.newPath("volumeMode"), claim.spec?.volumeMode ?? null, IMMUTABLE));
  }
  attributesClassUpdate(errors, claim.spec?.volumeAttributesClassName, old);
  return errors;
}

type Spec = core.PersistentVolumeClaimSpec;

/** Both specs, with allowed changes removed. */
function withoutAllowedChanges(
  errors: Errors,
  { metadata, spec = {}, status }: core.PersistentVolumeClaim,
  old: core.PersistentVolumeClaim,
): readonly [Spec, Spec] {
  const { spec: oldSpec = {} } = old;
  const annotation = metadata?.annotations?.[CLASS_ANNOTATION];
  const oldAnnotation = old.metadata?.annotations?.[CLASS_ANNOTATION];
  let masked = spec;
  let oldMasked = oldSpec;
  if (!oldSpec.volumeName) oldMasked = put(oldMasked, "volumeName", spec.volumeName);
  const isUnset = oldSpec.storageClassName === undefined;
  const takesAnnotation = oldAnnotation !== undefined && spec.storageClassName === oldAnnotation;
  if (isUnset && takesAnnotation && (annotation === undefined || annotation === oldAnnotation)) {
    masked = put(masked, "storageClassName", undefined);
  } else {
    if ((annotation ?? "") !== (oldAnnotation ?? "")) {
      errors.push(field.invalid(METADATA.child("annotations", CLASS_ANNOTATION), annotation ?? "", IMMUTABLE));
    }
    const isFirstClass = isUnset && spec.storageClassName !== undefined;
    if (isFirstClass && (oldAnnotation === undefined || takesAnnotation)) {
      masked = put(masked, "storageClassName", undefined);
    }
  }
  if (status?.phase === "Bound") {
    const { requests } = masked.resources ?? {};
    if (requests !== undefined) {
      const storage = oldSpec.resources?.requests?.storage ?? "0";
      masked = { ...masked, resources: { ...masked.resources, requests: { ...requests, storage } } };
    }
    masked = put(masked, "volumeAttributesClassName", oldSpec.volumeAttributesClassName);
  }
  return [masked, oldMasked];
}

/** A claim may shrink to recover from a failed expansion, but must stay above its capacity. */
function sizeUpdate(errors: Errors, { spec }: core.PersistentVolumeClaim, old: core.PersistentVolumeClaim): void {
  const size = amount(spec?.resources?.requests?.storage ?? "0");
  if (size.cmp(amount(old.spec?.resources?.requests?.storage ?? "0")) >= 0) return;
  if (size.cmp(amount(old.status?.capacity?.storage ?? "0")) <= 0) {
    errors.push(field.forbidden(REQUEST, "field can not be less than status.capacity"));
  }
}

function attributesClassUpdate(errors: Errors, name: string | undefined, old: core.PersistentVolumeClaim): void {
  if (name === old.spec?.volumeAttributesClassName) return;
  if (old.status?.currentVolumeAttributesClassName === undefined) return;
  const end = "is forbidden when status.currentVolumeAttributesClassName is not nil";
  if (name === undefined) errors.push(field.forbidden(ATTRIBUTES_CLASS, `update to nil ${end}`));
  else if (name === "") errors.push(field.forbidden(ATTRIBUTES_CLASS, `update to empty string ${end}`));
}

const RESIZE_STATUSES = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
].sort();

export function validateClaimStatus(
  claim: core.PersistentVolumeClaim,
  old: core.PersistentVolumeClaim,
): field.FieldError[] {
  const errors: Errors = [];
  const { metadata = {}, status = {} } = claim;
  objectMetaUpdate(errors, metadata, old.metadata ?? {}, METADATA);
  if (!metadata.resourceVersion) errors.push(field.required(field.newPath("resourceVersion"), ""));
  if ((claim.spec?.accessModes ?? []).length === 0) {
    errors.push(field.required(field.newPath("Spec").child("accessModes"), ""));
  }
  for (const [resource, value] of sorted(status.capacity)) {
    basicResource(errors, value, STATUS.child("capacity").key(resource));
  }
  const statuses = STATUS.child("allocatedResourceStatuses");
  for (const [resource, value] of sorted(status.allocatedResourceStatuses)) {
    resourceKey(errors, resource, statuses);
    if (!RESIZE_STATUSES.includes(value)) errors.push(field.notSupported(statuses, resource, RESIZE_STATUSES));
  }
  const allocated = STATUS.child("allocatedResources");
  for (const [resource, value] of sorted(status.allocatedResources)) {
    if (!resourceKey(errors, resource, allocated)) continue;
    const at = allocated.key(resource);
    if (basicResource(errors, value, at)) resourceQuantity(errors, "storage", amount(value), at);
  }
  return errors;
}

const sorted = (map: Readonly<Record<string, string>> = {}): (readonly [string, string])[] =>
  Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));

function basicResource(errors: Errors, text: string, path: Path): boolean {
  const quantity = amount(text);
  if (quantity.sign >= 0) return true;
  errors.push(field.invalid(path, quantity.value(), "must be a valid resource quantity"));
  return false;
}

/** Among resources without a domain, a claim may request only storage. */
function resourceKey(errors: Errors, resource: string, path: Path): boolean {
  const problems = isQualifiedName(resource);
  for (const problem of problems) errors.push(field.invalid(path, resource, problem));
  if (problems.length > 0) return false;
  if (!isNativeResource(resource) || resource === "storage") return true;
  errors.push(field.notSupported(path, resource, ["storage"]));
  return false;
}
