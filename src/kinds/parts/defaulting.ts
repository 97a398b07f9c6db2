// The building blocks of defaulting rules. A rule returns the JSON object itself or a changed copy. Unchanged parts are
// shared, and the input may be frozen. Like Go, the names distinguish nil pointers from zero values: `nil` fills absent
// fields, `zero` also fills empty strings and 0.

import type { FeatureGateReader } from "#base/feature-gates.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface DefaultingContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Absent: the defaults of 1.36. */
  readonly gates?: FeatureGateReader;
}

/** `isCopy`: the caller made the object, so the rule may change it in place. */
export type Rule = (object: JsonObject, ctx: DefaultingContext, isCopy?: boolean) => JsonObject;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isNil = (value: unknown): boolean => value === undefined || value === null;
export const isZero = (value: unknown): boolean => isNil(value) || value === "" || value === 0;
export const isEmpty = (value: unknown): boolean =>
  isNil(value) || (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0);

export function set(object: JsonObject, field: string, value: unknown, isCopy = false): JsonObject {
  if (object[field] === value) return object;
  const copy: Record<string, unknown> = isCopy ? (object as Record<string, unknown>) : { ...object };
  copy[field] = value;
  return copy;
}

/** Runs rules one after another. In upstream's order, a type's own rule precedes those of its parts. */
export function all(...rules: readonly Rule[]): Rule {
  return (object, ctx, isCopy = false) => {
    let [out, isOwn] = [object, isCopy];
    for (const rule of rules) {
      const next = rule(out, ctx, isOwn);
      if (next === out) continue;
      out = next;
      isOwn = true;
    }
    return out;
  };
}

const fill =
  (values: JsonObject, isUnset: (value: unknown) => boolean): Rule =>
  (object, _, isCopy = false) => {
    let copy: Record<string, unknown> | undefined;
    for (const field in values) {
      if (!isUnset(object[field])) continue;
      copy ??= isCopy ? (object as Record<string, unknown>) : { ...object };
      copy[field] = values[field];
    }
    return copy ?? object;
  };

/** Fills absent fields, for pointers upstream. */
export const nil = (values: JsonObject): Rule => fill(values, isNil);
/** Fills fields that are absent, "" or 0, for plain values upstream. */
export const zero = (values: JsonObject): Rule => fill(values, isZero);

/** Applies the rule to a field if it is present. */
export function at(field: string, rule: Rule): Rule {
  return (object, ctx, isCopy) => {
    const part = object[field];
    return isObject(part) ? set(object, field, rule(part, ctx), isCopy) : object;
  };
}

/** Applies the rule to a field that always exists upstream: an absent one counts as {}. */
export function inner(field: string, rule: Rule): Rule {
  return (object, ctx, isCopy) => {
    const part = object[field];
    if (isObject(part)) return set(object, field, rule(part, ctx), isCopy);
    if (!isNil(part)) return object;
    const filled = rule({}, ctx, true);
    return isEmpty(filled) ? object : set(object, field, filled, isCopy);
  };
}

/** Applies the rule to the items of a list. */
export function each(field: string, rule: Rule): Rule {
  return (object, ctx, isCopy) => {
    const items: unknown = object[field];
    if (!Array.isArray(items)) return object;
    let copy: unknown[] | undefined;
    for (let i = 0; i < items.length; i++) {
      const item: unknown = items[i];
      if (!isObject(item)) continue;
      const out = rule(item, ctx);
      if (out === item) continue;
      copy ??= items.slice();
      copy[i] = out;
    }
    return copy === undefined ? object : set(object, field, copy, isCopy);
  };
}

/** Applies the rule to the values of a map. */
export function values(field: string, rule: Rule): Rule {
  return (object, ctx, isCopy) => {
    const map = object[field];
    if (!isObject(map)) return object;
    let changed = false;
    const entries = Object.entries(map).map(([key, value]) => {
      const out = isObject(value) ? rule(value, ctx) : value;
      changed ||= out !== value;
      return [key, out] as const;
    });
    return changed ? set(object, field, Object.fromEntries(entries), isCopy) : object;
  };
}

const ON_BY_DEFAULT = new Set(["JobPodReplacementPolicy", "PodLevelResources", "SELinuxMountReadWriteOncePod"]);

/** A rule that runs only with a feature gate on. */
export function gated(gate: string, rule: Rule): Rule {
  const isOnByDefault = ON_BY_DEFAULT.has(gate);
  return (object, ctx, isCopy) => ((ctx.gates?.isEnabled(gate) ?? isOnByDefault) ? rule(object, ctx, isCopy) : object);
}

/** Adds the entries of `more` whose keys `map` lacks. */
export function addMissing(map: unknown, more: JsonObject): JsonObject {
  const known = isObject(map) ? map : {};
  const missing = Object.keys(more).filter((key) => !Object.hasOwn(known, key));
  if (missing.length === 0) return known;
  return Object.fromEntries([...Object.entries(known), ...missing.map((key) => [key, more[key]])]);
}
