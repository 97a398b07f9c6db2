// Storage classes. Upstream: pkg/registry/storage/storageclass/strategy.go; pkg/apis/storage/validation;
// pkg/apis/storage/v1/defaults.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type * as storage from "#api/generated/types/storage-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, oneOf, type Path, qualifiedName } from "#kinds/parts/checks.ts";
import { nil } from "#kinds/parts/defaulting.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { ageOf, defaultMark, nameOf, printer } from "#kinds/parts/printer.ts";
import { deprecatedNodeLabel } from "#kinds/pod-spec/pod-warnings.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { provisionerName, provisionerParameters } from "./provisioner.ts";

const METADATA = field.newPath("metadata");
const TOPOLOGIES = field.newPath("allowedTopologies");

function validate(object: storage.StorageClass): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, object.metadata ?? {}, false, isDns1123Subdomain, METADATA);
  provisionerName(errors, object.provisioner ?? "", field.newPath("provisioner"));
  provisionerParameters(errors, object.parameters, true, field.newPath("parameters"));
  if (object.reclaimPolicy) oneOf(errors, object.reclaimPolicy, field.newPath("reclaimPolicy"), ["Delete", "Retain"]);
  const modePath = field.newPath("volumeBindingMode");
  if (object.volumeBindingMode === undefined) errors.push(field.required(modePath, ""));
  else oneOf(errors, object.volumeBindingMode, modePath, ["Immediate", "WaitForFirstConsumer"]);
  allowedTopologies(errors, object.allowedTopologies ?? []);
  return errors;
}

/** The values of each key, without order. */
type Term = ReadonlyMap<string, ReadonlySet<string>>;

function allowedTopologies(errors: Errors, terms: readonly core.TopologySelectorTerm[]): void {
  // As upstream, the list of known terms starts with one empty term per given term.
  const known: Term[] = terms.map(() => new Map());
  terms.forEach((term, i) => {
    const path = TOPOLOGIES.index(i).child("matchLabelExpressions");
    const values = checkTerm(errors, term, path);
    for (const other of known) if (isEqualTerm(values, other)) errors.push(field.duplicate(path, ""));
    known.push(values);
  });
}

function checkTerm(errors: Errors, { matchLabelExpressions = [] }: core.TopologySelectorTerm, path: Path): Term {
  const term = new Map<string, ReadonlySet<string>>();
  matchLabelExpressions.forEach(({ key = "", values: given }, i) => {
    const at = path.index(i);
    const values = given ?? []; // a required list may be null
    if (values.length === 0) errors.push(field.required(at.child("values"), ""));
    values.forEach((value, j) => {
      if (values.indexOf(value) < j) errors.push(field.duplicate(at.child("values").index(j), value));
    });
    qualifiedName(errors, key, at.child("key"));
    if (term.has(key)) errors.push(field.duplicate(at.child("key"), key));
    term.set(key, new Set(values));
  });
  return term;
}

function isEqualTerm(a: Term, b: Term): boolean {
  return (
    a.size === b.size &&
    [...a].every(([key, values]) => values.symmetricDifference(b.get(key) ?? new Set([key])).size === 0)
  );
}

function validateUpdate(object: storage.StorageClass, old: storage.StorageClass): field.FieldError[] {
  const errors = validate(object);
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  for (const part of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const) {
    if (!semanticEqual(object[part], old[part])) {
      errors.push(field.invalid(field.newPath(part), printed(object[part]), IMMUTABLE));
    }
  }
  return errors;
}

/** Maps print sorted by key. */
function printed(value: string | Readonly<Record<string, string>> | undefined): unknown {
  if (typeof value !== "object") return value ?? null;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function warnings({ allowedTopologies = [] }: storage.StorageClass): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
    matchLabelExpressions.flatMap(({ key = "" }, j) => {
      const advice = deprecatedNodeLabel(key);
      const path = TOPOLOGIES.index(i).child("matchLabelExpressions").index(j).child("key");
      return advice === undefined ? [] : [`${path}: ${advice}`];
    }),
  );
}

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

export const storageClass: Kind<storage.StorageClass> = {
  key: "storageclasses.storage.k8s.io",
  strategy: kindStrategy<storage.StorageClass>({
    validate,
    warningsOnCreate: warnings,
    validateUpdate,
    warningsOnUpdate: warnings,
  }),
  defaults: nil({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  printer: printer("Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age", storageClassCells),
  returnsDeletedObject: true,
};
