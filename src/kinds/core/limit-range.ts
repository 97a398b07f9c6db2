// Limit ranges. Upstream: pkg/registry/core/limitrange/strategy.go; pkg/apis/core/validation, ValidateLimitRange

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Subdomain, isQualifiedName } from "#api/names.ts";
import { type Quantity, quantityOf } from "#api/quantity.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, name, type Path } from "#kinds/parts/checks.ts";
import { quantities } from "#kinds/parts/default-quantities.ts";
import {
  addMissing,
  all,
  at,
  each,
  isEmpty,
  isObject,
  type JsonObject,
  type Rule,
  set,
} from "#kinds/parts/defaulting.ts";
import { objectMeta } from "#kinds/parts/metadata.ts";
import { putMeta } from "#kinds/parts/preparing.ts";
import { amount } from "#kinds/parts/quantities.ts";
import { containerResourceName, isOvercommitAllowed, resourceName } from "#kinds/parts/resources.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const LIMIT_TYPES = ["Pod", "Container", "PersistentVolumeClaim"];

function validateLimitRange(range: core.LimitRange): field.FieldError[] {
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
  // As upstream, some errors show another quantity than the one at their path.
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

/** Like Go's %f. */
function goFixed(value: number): string {
  return Number.isFinite(value) ? value.toFixed(6) : value > 0 ? "+Inf" : Number.isNaN(value) ? "NaN" : "-Inf";
}

const limitRangeItem: Rule = all(
  (item) => {
    if (item.type !== "Container") return item;
    const part = (field: string): JsonObject => (isObject(item[field]) ? item[field] : {});
    const limit = addMissing(item.default, part("max"));
    const request = addMissing(addMissing(item.defaultRequest, limit), part("min"));
    const limited = isEmpty(limit) ? item : set(item, "default", limit);
    return isEmpty(request) ? limited : set(limited, "defaultRequest", request);
  },
  ...["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"].map(quantities),
);

const strategy = kindStrategy<core.LimitRange>({
  allowCreateOnUpdate: true,
  prepareForCreate: (range, { rng }) => (range.metadata?.name ? range : putMeta(range, { name: rng.uuid() })),
  validate: validateLimitRange,
  validateUpdate: (range) => validateLimitRange(range),
});

export const limitRange: Kind<core.LimitRange> = {
  key: "limitranges",
  strategy,
  defaults: at("spec", each("limits", limitRangeItem)),
};
