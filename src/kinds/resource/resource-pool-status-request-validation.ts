// Validation of ResourcePoolStatusRequests and their status.
// Upstream: pkg/apis/resource/validation/validation_resourcepoolstatusrequest.go; pkg/apis/resource/v1alpha3,
// the generated checks.

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type { PoolStatus, ResourcePoolStatusRequest } from "#api/generated/types/resource-v1alpha3.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { type Errors, IMMUTABLE, type Path, requiredName } from "#kinds/parts/checks.ts";
import { conditions } from "#kinds/parts/conditions.ts";
import {
  immutable,
  isCaselessSubdomain,
  longName,
  maxItems,
  maximum,
  minimum,
  resourcePoolName,
  unique,
} from "#kinds/parts/declarative.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

export function validateRequest({ metadata, spec }: ResourcePoolStatusRequest): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, metadata, false, isDns1123Subdomain, METADATA);
  requiredName(errors, spec?.driver, SPEC.child("driver"), isCaselessSubdomain);
  if (spec?.poolName !== undefined) resourcePoolName(errors, spec.poolName, SPEC.child("poolName"));
  if (spec?.limit === undefined) errors.push(field.required(SPEC.child("limit"), ""));
  maximum(errors, spec?.limit, SPEC.child("limit"), 1000);
  minimum(errors, spec?.limit, SPEC.child("limit"), 1);
  return errors;
}

export function validateRequestUpdate(
  request: ResourcePoolStatusRequest,
  old: ResourcePoolStatusRequest,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, request.metadata, old.metadata, METADATA);
  immutable(errors, { value: request.spec, old: old.spec, isUpdate: true }, SPEC);
  return errors;
}

/** A status is written once. */
export function validateRequestStatus(
  { metadata, status }: ResourcePoolStatusRequest,
  old: ResourcePoolStatusRequest,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, metadata, old.metadata, METADATA);
  if (semanticEqual(status, old.status)) return errors;
  if (old.status !== undefined) {
    const given = status === undefined ? null : internalForm("ResourcePoolStatusRequestStatus", status);
    errors.push(field.invalid(STATUS, given, IMMUTABLE));
  } else conditions(errors, status?.conditions ?? [], STATUS.child("conditions"));
  if (status === undefined) return errors;
  if (status.poolCount !== old.status?.poolCount || old.status === undefined) {
    if (status.poolCount === undefined) errors.push(field.required(STATUS.child("poolCount"), ""));
    minimum(errors, status.poolCount, STATUS.child("poolCount"), 0);
  }
  const pools = status.pools ?? [];
  if (!semanticEqual(status.pools, old.status?.pools) && !maxItems(errors, pools, STATUS.child("pools"), 1000)) {
    for (const [index, pool] of pools.entries()) poolStatus(errors, pool, STATUS.child("pools").index(index));
  }
  const given = status.conditions ?? [];
  if (!semanticEqual(given, old.status?.conditions) && !maxItems(errors, given, STATUS.child("conditions"), 10)) {
    const printed = given.map((condition) => internalForm("Condition", condition));
    unique(errors, printed, STATUS.child("conditions"), ({ type }) => type);
  }
  return errors;
}

function poolStatus(errors: Errors, pool: PoolStatus, path: Path): void {
  requiredName(errors, pool.driver, path.child("driver"), isCaselessSubdomain);
  if (!pool.poolName) errors.push(field.required(path.child("poolName"), ""));
  else resourcePoolName(errors, pool.poolName, path.child("poolName"));
  // 0 counts as absent.
  if (!pool.generation) errors.push(field.required(path.child("generation"), ""));
  else minimum(errors, pool.generation, path.child("generation"), 0);
  minimum(errors, pool.resourceSliceCount, path.child("resourceSliceCount"), 1);
  for (const part of ["totalDevices", "allocatedDevices", "availableDevices", "unavailableDevices"] as const) {
    minimum(errors, pool[part], path.child(part), 0);
  }
  if (pool.nodeName !== undefined) longName(errors, pool.nodeName, path.child("nodeName"));
  const { validationError } = pool;
  if (validationError !== undefined && new TextEncoder().encode(validationError).length > 256) {
    errors.push(field.tooLong(path.child("validationError"), 256));
  }
}
