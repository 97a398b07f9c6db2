// The rules of metadata that all kinds share.
// Upstream: k8s.io/apimachinery/pkg/api/validation/objectmeta.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import { byteLength, goQuote } from "#api/go-text.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "#api/meta.ts";
import { isDns1123Label, isLabelValue, isQualifiedName } from "#api/names.ts";
import { parseApiVersion } from "#api/object.ts";

export type ValidateName = (name: string, isPrefix: boolean) => string[];

const ANNOTATIONS_BYTES_MAX = 256 * 1024;
const root = field.newPath("metadata");

export function validateObjectMeta(
  meta: ObjectMeta,
  namespaced: boolean,
  validateName: ValidateName,
): field.FieldError[] {
  const errors: field.FieldError[] = [];
  const { name = "", generateName = "", namespace = "", generation = 0 } = meta;
  if (generateName !== "") {
    for (const message of validateName(generateName, true)) {
      errors.push(field.invalid(root.child("generateName"), generateName, message));
    }
  }
  if (name === "") errors.push(field.required(root.child("name"), "name or generateName is required"));
  else for (const message of validateName(name, false)) errors.push(field.invalid(root.child("name"), name, message));
  errors.push(...validateNamespace(namespace, namespaced));
  if (generation < 0) {
    errors.push(field.invalid(root.child("generation"), generation, "must be greater than or equal to 0"));
  }
  if (meta.labels !== undefined) errors.push(...validateLabels(meta.labels, root.child("labels")));
  if (meta.annotations !== undefined) errors.push(...validateAnnotations(meta.annotations));
  if (meta.ownerReferences !== undefined) errors.push(...validateOwnerReferences(meta.ownerReferences));
  if (meta.finalizers !== undefined) errors.push(...validateFinalizers(meta.finalizers));
  if (meta.managedFields !== undefined) errors.push(...validateManagedFields(meta.managedFields));
  return errors;
}

function validateNamespace(namespace: string, namespaced: boolean): field.FieldError[] {
  const path = root.child("namespace");
  if (!namespaced) return namespace === "" ? [] : [field.forbidden(path, "not allowed on this type")];
  if (namespace === "") return [field.required(path, "")];
  return isDns1123Label(namespace).map((message) => field.invalid(path, namespace, message));
}

export function validateLabels(labels: Readonly<Record<string, string>>, path: field.FieldPath): field.FieldError[] {
  const errors: field.FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] as string;
    for (const message of isQualifiedName(key)) errors.push(field.invalid(path, key, message));
    for (const message of isLabelValue(value)) errors.push(field.invalid(path, value, message));
  }
  return errors;
}

function validateAnnotations(annotations: Readonly<Record<string, string>>): field.FieldError[] {
  const path = root.child("annotations");
  const errors: field.FieldError[] = [];
  let bytes = 0;
  for (const key in annotations) {
    for (const message of isQualifiedName(key.toLowerCase())) errors.push(field.invalid(path, key, message));
    bytes += byteLength(key) + byteLength(annotations[key] as string);
  }
  if (bytes > ANNOTATIONS_BYTES_MAX) errors.push(field.tooLong(path, ANNOTATIONS_BYTES_MAX));
  return errors;
}

function validateOwnerReferences(references: readonly OwnerReference[]): field.FieldError[] {
  const path = root.child("ownerReferences");
  const errors: field.FieldError[] = [];
  let controller = "";
  for (const reference of references) {
    const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
    const { group, version } = parseApiVersion(apiVersion);
    if (version === "") errors.push(field.invalid(path.child("apiVersion"), apiVersion, "version must not be empty"));
    if (kind === "") errors.push(field.invalid(path.child("kind"), kind, "must not be empty"));
    if (name === "") errors.push(field.invalid(path.child("name"), name, "must not be empty"));
    if (uid === "") errors.push(field.invalid(path.child("uid"), uid, "must not be empty"));
    if (group === "" && version === "v1" && kind === "Event") {
      errors.push(field.invalid(path, reference, "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (reference.controller !== true) continue;
    const found = `${kind}/${name}`;
    if (controller === "") controller = found;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${found}`;
      errors.push(field.invalid(path, references, detail));
    }
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[]): field.FieldError[] {
  const path = root.child("finalizers");
  const errors = finalizers.flatMap((finalizer) =>
    isQualifiedName(finalizer).map((message) => field.invalid(path, finalizer, message)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(field.invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}

const SUBRESOURCE_LENGTH_MAX = 256;

function validateManagedFields(entries: readonly ManagedFieldsEntry[]): field.FieldError[] {
  const errors: field.FieldError[] = [];
  entries.forEach(({ operation = "", fieldsType = "", subresource = "" }, i) => {
    const path = root.child("managedFields").index(i);
    if (operation !== "Apply" && operation !== "Update") {
      errors.push(field.invalid(path.child("operation"), operation, "must be `Apply` or `Update`"));
    }
    if (fieldsType !== "" && fieldsType !== "FieldsV1") {
      errors.push(field.invalid(path.child("fieldsType"), fieldsType, "must be `FieldsV1`"));
    }
    if (byteLength(subresource) > SUBRESOURCE_LENGTH_MAX) {
      errors.push(field.tooLong(path.child("subresource"), SUBRESOURCE_LENGTH_MAX));
    }
  });
  return errors;
}

/** What an update may not do to metadata. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta): field.FieldError[] {
  const errors: field.FieldError[] = [];
  if (old.deletionTimestamp !== undefined) errors.push(...validateNoNewFinalizers(meta.finalizers, old.finalizers));
  if (!meta.resourceVersion) {
    errors.push(field.invalid(root.child("resourceVersion"), "", "must be specified for an update"));
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(field.invalid(root.child("generation"), meta.generation ?? 0, "must not be decremented"));
  }
  for (const key of ["name", "namespace", "uid", "creationTimestamp"] as const) {
    errors.push(...validateImmutable(meta[key], old[key], key, ""));
  }
  errors.push(...validateImmutable(meta.deletionTimestamp, old.deletionTimestamp, "deletionTimestamp", null));
  errors.push(
    ...validateImmutable(
      meta.deletionGracePeriodSeconds,
      old.deletionGracePeriodSeconds,
      "deletionGracePeriodSeconds",
      null,
    ),
  );
  // Checked with the object as a whole already, and once more here, as upstream does: causes are listed twice.
  if (meta.labels !== undefined) errors.push(...validateLabels(meta.labels, root.child("labels")));
  if (meta.annotations !== undefined) errors.push(...validateAnnotations(meta.annotations));
  if (meta.ownerReferences !== undefined) errors.push(...validateOwnerReferences(meta.ownerReferences));
  if (meta.managedFields !== undefined) errors.push(...validateManagedFields(meta.managedFields));
  return errors;
}

function validateImmutable(value: unknown, old: unknown, key: string, nothing: unknown): field.FieldError[] {
  if (semanticEqual(value, old)) return [];
  return [field.invalid(root.child(key), value ?? nothing, "field is immutable")];
}

function validateNoNewFinalizers(now: readonly string[] = [], before: readonly string[] = []): field.FieldError[] {
  const added = [...new Set(now)].filter((finalizer) => !before.includes(finalizer)).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map(goQuote).join(", ")}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [field.forbidden(root.child("finalizers"), detail)];
}
