// Resource quotas and limit ranges. Upstream: pkg/apis/core/validation, ValidateResourceQuota, ValidateLimitRange

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Subdomain, isQualifiedName } from "#api/names.ts";
import { type Quantity, quantityOf } from "#api/quantity.ts";
import { type Errors, IMMUTABLE, name, type Path } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { amount, type WireAmounts } from "#kinds/parts/quantities.ts";
import {
  containerResourceName,
  isOvercommitAllowed,
  isStandardQuotaResource,
  quotaResourceName,
  resourceName,
  resourceQuantity,
} from "#kinds/parts/resources.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

export function validateResourceQuota(quota: core.ResourceQuota): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, quota.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  quotaSpec(errors, quota.spec ?? {});
  quotaStatus(errors, quota.status ?? {});
  return errors;
}

export function validateResourceQuotaUpdate(quota: core.ResourceQuota, old: core.ResourceQuota): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, quota.metadata ?? {}, old.metadata ?? {}, METADATA);
  quotaSpec(errors, quota.spec ?? {});
  const [now, before] = [new Set(quota.spec?.scopes), new Set(old.spec?.scopes)];
  if (now.size !== before.size || !now.isSubsetOf(before)) {
    errors.push(field.invalid(SPEC.child("scopes"), quota.spec?.scopes ?? null, IMMUTABLE));
  }
  return errors;
}

export function validateResourceQuotaStatusUpdate(
  quota: core.ResourceQuota,
  old: core.ResourceQuota,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, quota.metadata ?? {}, old.metadata ?? {}, METADATA);
  if (!quota.metadata?.resourceVersion) errors.push(field.required(field.newPath("resourceVersion"), ""));
  quotaStatus(errors, quota.status ?? {});
  return errors;
}

function quotaAmounts(errors: Errors, map: WireAmounts | undefined, path: Path): void {
  for (const [resource, text] of Object.entries(map ?? {})) {
    quotaResourceName(errors, resource, path.key(resource));
    resourceQuantity(errors, resource, amount(text), path.key(resource));
  }
}

function quotaStatus(errors: Errors, status: core.ResourceQuotaStatus): void {
  quotaAmounts(errors, status.hard, STATUS.child("hard"));
  quotaAmounts(errors, status.used, STATUS.child("used"));
}

function quotaSpec(errors: Errors, spec: core.ResourceQuotaSpec): void {
  quotaAmounts(errors, spec.hard, SPEC.child("hard"));
  const hard = Object.keys(spec.hard ?? {}).filter(isStandardQuotaResource);
  scopes(errors, spec, hard);
  if (spec.scopeSelector) scopeSelector(errors, spec, hard);
}

const COMPUTE = new Set(["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"]);
const SCOPED: Readonly<Record<string, ReadonlySet<string>>> = {
  Terminating: COMPUTE,
  NotTerminating: COMPUTE,
  NotBestEffort: COMPUTE,
  PriorityClass: COMPUTE,
  CrossNamespacePodAffinity: COMPUTE,
  BestEffort: new Set(["pods"]),
  VolumeAttributesClass: new Set(["persistentvolumeclaims", "requests.storage"]),
};
const isKnownScope = (scope: string): boolean => Object.hasOwn(SCOPED, scope);
const isScopeValidFor = (scope: string, resource: string): boolean =>
  !isKnownScope(scope) || SCOPED[scope]?.has(resource) === true;
const CONFLICTS = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

function scopes(errors: Errors, spec: core.ResourceQuotaSpec, hard: readonly string[]): void {
  const list = spec.scopes ?? [];
  const path = SPEC.child("scopes");
  const refuse = (detail: string): void => {
    errors.push(field.invalid(path, list, detail));
  };
  for (const scope of list) {
    if (!isKnownScope(scope)) refuse("unsupported scope");
    for (const resource of hard) if (!isScopeValidFor(scope, resource)) refuse("unsupported scope applied to resource");
  }
  for (const pair of CONFLICTS) if (pair.every((scope) => list.includes(scope))) refuse("conflicting scopes");
}

const EXISTS_ONLY =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
const VALUED_SCOPES = ["PriorityClass", "VolumeAttributesClass"];

function scopeSelector(errors: Errors, spec: core.ResourceQuotaSpec, hard: readonly string[]): void {
  const path = SPEC.child("scopeSelector", "matchExpressions");
  const list = spec.scopeSelector?.matchExpressions ?? [];
  for (const { scopeName = "", operator = "", values = [] } of list) {
    if (!isKnownScope(scopeName)) errors.push(field.invalid(path.child("scopeName"), scopeName, "unsupported scope"));
    for (const resource of hard) {
      if (isScopeValidFor(scopeName, resource)) continue;
      const value = internalForm("ScopeSelector", spec.scopeSelector ?? {});
      errors.push(field.invalid(path, value, "unsupported scope applied to resource"));
    }
    if (isKnownScope(scopeName) && !VALUED_SCOPES.includes(scopeName) && operator !== "Exists") {
      errors.push(field.invalid(path.child("operator"), operator, EXISTS_ONLY));
    }
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0) {
        const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
        errors.push(field.required(path.child("values"), detail));
      }
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0) {
        const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
        errors.push(field.invalid(path.child("values"), values, detail));
      }
    } else errors.push(field.invalid(path.child("operator"), operator, "not a valid selector operator"));
  }
  const named = list.map((requirement) => requirement.scopeName);
  for (const pair of CONFLICTS) {
    if (!pair.every((scope) => named.includes(scope))) continue;
    errors.push(field.invalid(path, spec.scopes ?? null, "conflicting scopes"));
  }
}

const LIMIT_TYPES = ["Pod", "Container", "PersistentVolumeClaim"];

export function validateLimitRange(range: core.LimitRange): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, range.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  const seen = new Set<string>();
  range.spec?.limits?.forEach((item, i) => {
    const at = SPEC.child("limits").index(i);
    const type = item.type ?? "";
    limitType(errors, type, at.child("type"));
    if (seen.has(type)) errors.push(field.duplicate(at.child("type"), type));
    seen.add(type);
    limitItem(errors, item, type, at);
  });
  return errors;
}

function limitType(errors: Errors, type: string, path: Path): void {
  const before = errors.length;
  name(errors, type, path, isQualifiedName);
  if (errors.length === before && !type.includes("/") && !LIMIT_TYPES.includes(type)) {
    errors.push(field.invalid(path, type, "must be a standard limit type or fully qualified"));
  }
}

function limitItem(errors: Errors, item: core.LimitRangeItem, type: string, path: Path): void {
  const check = type === "Pod" || type === "Container" ? containerResourceName : resourceName;
  const known = new Set<string>();
  const read = (part: "max" | "min" | "default" | "defaultRequest" | "maxLimitRequestRatio"): Map<string, Quantity> => {
    const amounts = new Map<string, Quantity>();
    for (const [resource, text] of Object.entries(item[part] ?? {})) {
      check(errors, resource, path.child(part).key(resource));
      known.add(resource);
      amounts.set(resource, amount(text));
    }
    return amounts;
  };
  const max = read("max");
  const min = read("min");
  const forbidOnPod = (part: "default" | "defaultRequest"): Map<string, Quantity> => {
    if (type !== "Pod") return read(part);
    if (Object.keys(item[part] ?? {}).length > 0) {
      errors.push(field.forbidden(path.child(part), "may not be specified when `type` is 'Pod'"));
    }
    return new Map();
  };
  const limit = forbidOnPod("default");
  const request = forbidOnPod("defaultRequest");
  if (type === "PersistentVolumeClaim" && !min.has("storage") && !max.has("storage")) {
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(field.required(path.child("limits"), detail));
  }
  const ratio = read("maxLimitRequestRatio");
  for (const resource of known) {
    const of = (amounts: Map<string, Quantity>): Quantity | undefined => amounts.get(resource);
    limitsOfResource(errors, resource, path, of(min), of(max), of(limit), of(request), of(ratio));
  }
}

function limitsOfResource(
  errors: Errors,
  resource: string,
  path: Path,
  min: Quantity | undefined,
  max: Quantity | undefined,
  limit: Quantity | undefined,
  request: Quantity | undefined,
  ratio: Quantity | undefined,
): void {
  // Some errors show another amount than the one at their path, as upstream does.
  const ordered = (
    low: Quantity | undefined,
    lowWord: string,
    high: Quantity | undefined,
    highWord: string,
    part: string,
    shown: Quantity | undefined,
  ): void => {
    if (low === undefined || high === undefined || low.cmp(high) <= 0) return;
    const detail = `${lowWord} value ${low} is greater than ${highWord} value ${high}`;
    errors.push(field.invalid(path.child(part).key(resource), shown, detail));
  };
  ordered(min, "min", max, "max", "min", min);
  ordered(min, "min", request, "default request", "defaultRequest", request);
  ordered(request, "default request", max, "max", "defaultRequest", request);
  ordered(request, "default request", limit, "default limit", "defaultRequest", request);
  ordered(min, "min", limit, "default", "default", min);
  ordered(limit, "default", max, "max", "default", max);
  if (ratio !== undefined) ratioOfResource(errors, ratio, min, max, path.child("maxLimitRequestRatio").key(resource));
  if (!isOvercommitAllowed(resource) && limit && request && limit.cmp(request) !== 0) {
    const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${resource}`;
    errors.push(field.invalid(path.child("defaultRequest").key(resource), request, detail));
  }
}

const MILLI_EXACT_MAX = 9_223_372_036_854_775n;

function ratioOfResource(
  errors: Errors,
  ratio: Quantity,
  min: Quantity | undefined,
  max: Quantity | undefined,
  path: Path,
): void {
  if (ratio.cmp(quantityOf(1)) < 0) errors.push(field.invalid(path, ratio, `ratio ${ratio} is less than 1`));
  if (min === undefined || max === undefined) return;
  const isExact = [ratio, min, max].every((quantity) => quantity.scaledInt64(0) < MILLI_EXACT_MAX);
  const read = (quantity: Quantity): number => Number(quantity.scaledInt64(isExact ? -3 : 0));
  const value = isExact ? read(ratio) / 1000 : read(ratio);
  const limit = read(max) / read(min);
  if (value > limit) {
    errors.push(field.invalid(path, ratio, `ratio ${ratio} is greater than max/min = ${goFixed(limit)}`));
  }
}

/** Go's %f. */
function goFixed(value: number): string {
  return Number.isFinite(value) ? value.toFixed(6) : value > 0 ? "+Inf" : Number.isNaN(value) ? "NaN" : "-Inf";
}
