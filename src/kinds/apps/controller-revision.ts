// ControllerRevisions. Upstream: pkg/registry/apps/controllerrevision/strategy.go; pkg/apis/apps/validation

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { parseApiVersion } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, nonNegative } from "#kinds/parts/checks.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");

function validateControllerRevision(object: apps.ControllerRevision): field.FieldError[] {
  const errors: Errors = [];
  revision(errors, object);
  const data: unknown = object.data;
  if (data === undefined || data === null) errors.push(field.required(field.newPath("data"), "data is mandatory"));
  else if (typeof data !== "object" || Array.isArray(data)) {
    errors.push(field.required(field.newPath("data"), "data must be a valid JSON object"));
  }
  return errors;
}

function validateControllerRevisionUpdate(
  object: apps.ControllerRevision,
  old: apps.ControllerRevision,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  revision(errors, object);
  if (!semanticEqual(object.data, old.data)) {
    errors.push(field.invalid(field.newPath("data"), object.data ?? null, IMMUTABLE));
  }
  return errors;
}

function revision(errors: Errors, object: apps.ControllerRevision): void {
  objectMeta(errors, object.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  nonNegative(errors, object.revision, field.newPath("revision"));
}

function revisionCells(revision: apps.ControllerRevision, now: EpochMs): unknown[] {
  const owner = getControllerOf(revision);
  const { group } = parseApiVersion(owner?.apiVersion ?? "");
  const kind = (group === "" ? (owner?.kind ?? "") : `${owner?.kind}.${group}`).toLowerCase();
  return [nameOf(revision), owner ? `${kind}/${owner.name}` : "<none>", revision.revision ?? 0, ageOf(revision, now)];
}

const strategy = kindStrategy<apps.ControllerRevision>({
  validate: validateControllerRevision,
  validateUpdate: validateControllerRevisionUpdate,
});

export const controllerRevision: Kind<apps.ControllerRevision> = {
  key: "controllerrevisions.apps",
  strategy,
  printer: printer("Name|Controller|Revision|Age", revisionCells),
};
