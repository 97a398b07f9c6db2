// The few forms that defaulting rules are composed of. A rule maps a JSON object to itself or to a
// changed copy; parts that did not change are shared, and frozen input is fine.
// Go tells a nil pointer from a zero value, and so do the names here: `nil` fills absent fields,
// `zero` also fills empty strings and 0.

import type { FeatureGateReader } from "#rules/strategy/strategy.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface DefaultingContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Absent: the defaults of 1.36. */
  readonly gates?: FeatureGateReader;
}

export type Rule = (object: JsonObject, ctx: DefaultingContext) => JsonObject;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isNil = (value: unknown): boolean => value === undefined || value === null;
export const isZero = (value: unknown): boolean => isNil(value) || value === "" || value === 0;
export const isEmpty = (value: unknown): boolean =>
  isNil(value) || (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0);

export function set(object: JsonObject, field: string, value: unknown): JsonObject {
  return object[field] === value ? object : { ...object, [field]: value };
}

/** Rules one after another; upstream's order is: the type's own rule, then its parts. */
export function all(...rules: readonly Rule[]): Rule {
  return (object, ctx) => {
    let out = object;
    for (const rule of rules) out = rule(out, ctx);
    return out;
  };
}

const fill =
  (values: JsonObject, isUnset: (value: unknown) => boolean): Rule =>
  (object) => {
    let copy: Record<string, unknown> | undefined;
    for (const field in values) {
      if (!isUnset(object[field])) continue;
      copy ??= { ...object };
      copy[field] = values[field];
    }
    return copy ?? object;
  };

/** Fills fields that are absent: pointers upstream. */
export const nil = (values: JsonObject): Rule => fill(values, isNil);
/** Fills fields that are absent, "" or 0: plain values upstream. */
export const zero = (values: JsonObject): Rule => fill(values, isZero);

/** A part that is defaulted only where it is present. */
export function at(field: string, rule: Rule): Rule {
  return (object, ctx) => {
    const part = object[field];
    return isObject(part) ? set(object, field, rule(part, ctx)) : object;
  };
}

/** A part that always exists upstream: an absent one counts as {}. */
export function inner(field: string, rule: Rule): Rule {
  return (object, ctx) => {
    const part = object[field];
    if (isObject(part)) return set(object, field, rule(part, ctx));
    if (!isNil(part)) return object;
    const filled = rule({}, ctx);
    return isEmpty(filled) ? object : set(object, field, filled);
  };
}

/** The items of a list. */
export function each(field: string, rule: Rule): Rule {
  return (object, ctx) => {
    const items: unknown = object[field];
    if (!Array.isArray(items)) return object;
    let copy: unknown[] | undefined;
    items.forEach((item, i) => {
      if (!isObject(item)) return;
      const out = rule(item, ctx);
      if (out === item) return;
      copy ??= [...items];
      copy[i] = out;
    });
    return copy === undefined ? object : set(object, field, copy);
  };
}

/** The values of a map. */
export function values(field: string, rule: Rule): Rule {
  return (object, ctx) => {
    const map = object[field];
    if (!isObject(map)) return object;
    let changed = false;
    const entries = Object.entries(map).map(([key, value]) => {
      const out = isObject(value) ? rule(value, ctx) : value;
      changed ||= out !== value;
      return [key, out] as const;
    });
    return changed ? set(object, field, Object.fromEntries(entries)) : object;
  };
}

const ON_BY_DEFAULT = new Set(["JobPodReplacementPolicy", "PodLevelResources", "SELinuxMountReadWriteOncePod"]);

/** A rule that runs only with a feature gate on. */
export function gated(gate: string, rule: Rule): Rule {
  const isOnByDefault = ON_BY_DEFAULT.has(gate);
  return (object, ctx) => ((ctx.gates?.isEnabled(gate) ?? isOnByDefault) ? rule(object, ctx) : object);
}

/** Adds the entries of `more` whose keys `map` lacks. */
export function addMissing(map: unknown, more: JsonObject): JsonObject {
  const known = isObject(map) ? map : {};
  const missing = Object.entries(more).filter(([key]) => !Object.hasOwn(known, key));
  return missing.length === 0 ? known : Object.fromEntries([...Object.entries(known), ...missing]);
}
