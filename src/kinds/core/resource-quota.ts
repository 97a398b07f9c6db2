// Resource quotas. Upstream: pkg/registry/core/resourcequota/strategy.go; pkg/apis/core/validation, ValidateResourceQuota

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, type Path } from "#kinds/parts/checks.ts";
import { quantities } from "#kinds/parts/default-quantities.ts";
import { all, at } from "#kinds/parts/defaulting.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put, statusStrategy } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { amount, type WireAmounts } from "#kinds/parts/quantities.ts";
import { isStandardQuotaResource, quotaResourceName, resourceQuantity } from "#kinds/parts/resources.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

function validateResourceQuota(quota: core.ResourceQuota): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, quota.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  quotaSpec(errors, quota.spec ?? {});
  quotaStatus(errors, quota.status ?? {});
  return errors;
}

function validateResourceQuotaUpdate(quota: core.ResourceQuota, old: core.ResourceQuota): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, quota.metadata ?? {}, old.metadata ?? {}, METADATA);
  quotaSpec(errors, quota.spec ?? {});
  const [now, before] = [new Set(quota.spec?.scopes), new Set(old.spec?.scopes)];
  if (now.size !== before.size || !now.isSubsetOf(before)) {
    errors.push(field.invalid(SPEC.child("scopes"), quota.spec?.scopes ?? null, IMMUTABLE));
  }
  return errors;
}

function validateResourceQuotaStatusUpdate(quota: core.ResourceQuota, old: core.ResourceQuota): field.FieldError[] {
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

/** Requests above the limit for the same resource can never be used. */
function quotaWarnings({ spec }: core.ResourceQuota): string[] {
  const hard: Readonly<Record<string, string>> = spec?.hard ?? {};
  const warnings: string[] = [];
  for (const resource of ["cpu", "memory", "storage", "ephemeral-storage"]) {
    const isShort = resource === "cpu" || resource === "memory";
    const names = isShort ? [`requests.${resource}`, resource] : [`requests.${resource}`];
    const request = names.find((name) => Object.hasOwn(hard, name));
    const limit = `limits.${resource}`;
    if (request === undefined || !Object.hasOwn(hard, limit)) continue;
    const [asked, allowed] = [amount(hard[request] ?? "0"), amount(hard[limit] ?? "0")];
    if (asked.cmp(allowed) > 0) {
      warnings.push(`ResourceQuota ${request} (${asked}) should be less than ${limit} (${allowed})`);
    }
  }
  return warnings;
}

function quotaCells(quota: core.ResourceQuota, now: EpochMs): unknown[] {
  const hard: Readonly<Record<string, string>> = quota.status?.hard ?? {};
  const used: Readonly<Record<string, string>> = quota.status?.used ?? {};
  const lines = (isLimit: boolean): string =>
    Object.keys(hard)
      .filter((resource) => resource.startsWith("limits.") === isLimit)
      .sort()
      .map((resource) => `${resource}: ${shownAmount(used[resource])}/${shownAmount(hard[resource])}`)
      .join(", ");
  return [nameOf(quota), lines(false), lines(true), ageOf(quota, now)];
}

const strategy = kindStrategy<core.ResourceQuota>({
  resetFields: [["status"]],
  prepareForCreate: (quota) => ({ ...quota, status: {} }),
  validate: validateResourceQuota,
  warningsOnCreate: quotaWarnings,
  prepareForUpdate: (quota, old) => put(quota, "status", old.status),
  validateUpdate: validateResourceQuotaUpdate,
  subresources: {
    status: statusStrategy(validateResourceQuotaStatusUpdate),
  },
});

const shownAmount = (text: string | undefined): string => quantityFromWire(text).toString();

export const resourceQuota: Kind<core.ResourceQuota> = {
  key: "resourcequotas",
  strategy,
  defaults: all(at("spec", quantities("hard")), at("status", all(quantities("hard"), quantities("used")))),
  printer: printer("Name|Request|Limit|Age", quotaCells),
  returnsDeletedObject: true,
};
