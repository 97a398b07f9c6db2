// Validation of object metadata: the generic rules, and that finalizers without a domain are known to Kubernetes.
// Upstream: apimachinery pkg/api/validation/objectmeta.go; pkg/apis/core/validation, ValidateObjectMeta

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import { byteLength, goQuote } from "#api/go-text.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "#api/meta.ts";
import {
  asPrefix,
  isDns1123Label,
  isPathSegmentName,
  isPathSegmentPrefix,
  isQualifiedName,
  type NameCheck,
} from "#api/names.ts";
import { parseApiVersion } from "#api/object.ts";
import { type Errors, IMMUTABLE, labels, NOT_NEGATIVE, name, type Path, type StringMap } from "./checks.ts";

const ANNOTATION_BYTES_MAX = 256 * 1024;
const STANDARD_FINALIZERS = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

export function objectMeta(errors: Errors, meta: ObjectMeta, namespaced: boolean, check: NameCheck, path: Path): void {
  genericObjectMeta(errors, meta, namespaced, check, path);
  kubeFinalizers(errors, meta, path);
}

/** Groups outside core accept unknown finalizers. */
export function genericObjectMeta(
  errors: Errors,
  meta: ObjectMeta,
  namespaced: boolean,
  check: NameCheck,
  path: Path,
): void {
  if (meta.generateName) {
    // "." is a valid prefix of a path segment but not a valid path segment.
    const prefixErrors =
      check === isPathSegmentName ? isPathSegmentPrefix(meta.generateName) : check(asPrefix(meta.generateName));
    for (const message of prefixErrors) {
      errors.push(field.invalid(path.child("generateName"), meta.generateName, message));
    }
  }
  nameAndRest(errors, meta, namespaced, check, path);
}

/** Kinds with generated checks look at the finished name only. Upstream: ValidateObjectMetaWithOpts */
export function objectMetaOfFinishedName(
  errors: Errors,
  meta: ObjectMeta,
  namespaced: boolean,
  check: NameCheck,
  path: Path,
): void {
  if (meta.generateName && !meta.name) {
    const message = `generateName was specified (${goQuote(meta.generateName)}), but no name was generated`;
    errors.push(field.internalError(path.child("name"), message));
  }
  nameAndRest(errors, meta, namespaced, check, path);
  kubeFinalizers(errors, meta, path);
}

function nameAndRest(errors: Errors, meta: ObjectMeta, namespaced: boolean, check: NameCheck, path: Path): void {
  if (!meta.name) errors.push(field.required(path.child("name"), "name or generateName is required"));
  else name(errors, meta.name, path.child("name"), check);
  if (!namespaced) {
    if (meta.namespace) errors.push(field.forbidden(path.child("namespace"), "not allowed on this type"));
  } else if (!meta.namespace) errors.push(field.required(path.child("namespace"), ""));
  else name(errors, meta.namespace, path.child("namespace"), isDns1123Label);
  const generation = meta.generation ?? 0;
  if (generation < 0) errors.push(field.invalid(path.child("generation"), generation, NOT_NEGATIVE));
  labels(errors, meta.labels, path.child("labels"));
  annotations(errors, meta.annotations, path.child("annotations"));
  ownerReferences(errors, meta.ownerReferences ?? [], path.child("ownerReferences"));
  finalizers(errors, meta.finalizers ?? [], path.child("finalizers"));
  managedFields(errors, meta.managedFields ?? [], path.child("managedFields"));
}

export function annotations(errors: Errors, map: StringMap | undefined, path: Path): void {
  let size = 0;
  for (const key in map) {
    for (const message of isQualifiedName(key.toLowerCase())) errors.push(field.invalid(path, key, message));
    size += byteLength(key) + byteLength(map[key] ?? "");
  }
  if (size > ANNOTATION_BYTES_MAX) errors.push(field.tooLong(path, ANNOTATION_BYTES_MAX));
}

function ownerReferences(errors: Errors, owners: readonly OwnerReference[], path: Path): void {
  let controller: string | undefined;
  for (const owner of owners) {
    ownerReference(errors, owner, path);
    if (!owner.controller) continue;
    const current = `${owner.kind ?? ""}/${owner.name ?? ""}`;
    if (controller !== undefined) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`;
      errors.push(field.invalid(path, owners.map(inGoOrder), detail));
    } else controller = current;
  }
}

/** In the field order of Go's struct. */
function inGoOrder({
  apiVersion = "",
  kind = "",
  name = "",
  uid = "",
  controller,
  blockOwnerDeletion,
}: OwnerReference): unknown {
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion };
}

function ownerReference(errors: Errors, owner: OwnerReference, path: Path): void {
  const { apiVersion = "", kind = "" } = owner;
  const { group, version } = parseApiVersion(apiVersion);
  // More than one slash is not a valid version.
  if (version === "" || version.includes("/"))
    errors.push(field.invalid(path.child("apiVersion"), apiVersion, "version must not be empty"));
  for (const part of ["kind", "name", "uid"] as const) {
    if (!owner[part]) errors.push(field.invalid(path.child(part), "", "must not be empty"));
  }
  if (group === "" && version === "v1" && kind === "Event") {
    errors.push(field.invalid(path, inGoOrder(owner), "/v1, Kind=Event is disallowed from being an owner"));
  }
}

function finalizers(errors: Errors, list: readonly string[], path: Path): void {
  for (const finalizer of list) name(errors, finalizer, path, isQualifiedName);
  if (list.includes("orphan") && list.includes("foregroundDeletion")) {
    errors.push(field.invalid(path, list, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

export function kubeFinalizer(errors: Errors, finalizer: string, path: Path): void {
  if (finalizer.includes("/") || STANDARD_FINALIZERS.has(finalizer)) return;
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  errors.push(field.invalid(path, finalizer, detail));
}

function kubeFinalizers(errors: Errors, meta: ObjectMeta, path: Path): void {
  meta.finalizers?.forEach((finalizer, i) => {
    kubeFinalizer(errors, finalizer, path.child("finalizers").index(i));
  });
}

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Upstream: apimachinery pkg/apis/meta/v1/validation, ValidateFieldManager */
export function fieldManager(errors: Errors, manager: string, path: Path): void {
  if (manager.length <= 128 && PRINTABLE_ASCII.test(manager)) return;
  if (byteLength(manager) > 128) errors.push(field.tooLong(path, 128));
  let position = 0;
  for (const char of manager) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      errors.push(field.invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += byteLength(char);
  }
}

function managedFields(errors: Errors, entries: readonly ManagedFieldsEntry[], path: Path): void {
  entries.forEach(({ operation = "", fieldsType = "", manager = "", subresource = "" }, i) => {
    const at = path.index(i);
    if (operation !== "Apply" && operation !== "Update") {
      errors.push(field.invalid(at.child("operation"), operation, "must be `Apply` or `Update`"));
    }
    if (fieldsType !== "" && fieldsType !== "FieldsV1") {
      errors.push(field.invalid(at.child("fieldsType"), fieldsType, "must be `FieldsV1`"));
    }
    fieldManager(errors, manager, at.child("manager"));
    if (byteLength(subresource) > 256) errors.push(field.tooLong(at.child("subresource"), 256));
  });
}

const FIXED = [
  ["name", ""],
  ["namespace", ""],
  ["uid", ""],
  ["creationTimestamp", null],
  ["deletionTimestamp", null],
  ["deletionGracePeriodSeconds", null],
] as const;

export function objectMetaUpdate(errors: Errors, meta: ObjectMeta, old: ObjectMeta, path: Path): void {
  genericObjectMetaUpdate(errors, meta, old, path);
  kubeFinalizers(errors, meta, path);
}

export function genericObjectMetaUpdate(errors: Errors, meta: ObjectMeta, old: ObjectMeta, path: Path): void {
  if (old.deletionTimestamp) noNewFinalizers(errors, meta.finalizers ?? [], old.finalizers ?? [], path);
  if (!meta.resourceVersion) {
    errors.push(field.invalid(path.child("resourceVersion"), "", "must be specified for an update"));
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(field.invalid(path.child("generation"), meta.generation ?? 0, "must not be decremented"));
  }
  for (const [part, zero] of FIXED) {
    const value = meta[part] ?? zero;
    if (!semanticEqual(value, old[part] ?? zero)) errors.push(field.invalid(path.child(part), value, IMMUTABLE));
  }
  labels(errors, meta.labels, path.child("labels"));
  annotations(errors, meta.annotations, path.child("annotations"));
  ownerReferences(errors, meta.ownerReferences ?? [], path.child("ownerReferences"));
  managedFields(errors, meta.managedFields ?? [], path.child("managedFields"));
}

function noNewFinalizers(errors: Errors, list: readonly string[], old: readonly string[], path: Path): void {
  const added = [...new Set(list)].filter((finalizer) => !old.includes(finalizer)).sort();
  if (added.length === 0) return;
  const printed = `[]string{${added.map(goQuote).join(", ")}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${printed}`;
  errors.push(field.forbidden(path.child("finalizers"), detail));
}
