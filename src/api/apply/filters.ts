// Fields that a request cannot own: those that the server resets on this (sub)resource.
// Upstream: structured-merge-diff fieldpath/set.go, NewExcludeSetFilter, NewIncludeMatcherFilter

import { type FieldSet, isMember, LEAF, recursiveDifference, setOf, sortKeys } from "./field-set.ts";

export type FieldFilter = (set: FieldSet) => FieldSet;

/** All fields except the given ones and those below them: excludeFields(["status"], ["metadata", "labels"]). */
export function excludeFields(...paths: readonly (readonly string[])[]): FieldFilter {
  const excluded = setOf(...paths.map((path) => path.map((name) => `f:${name}`)));
  return (set) => recursiveDifference(set, excluded);
}

/** In a pattern, any element of a map or list. */
export const anyElement: unique symbol = Symbol("anyElement");
export type PatternStep = string | typeof anyElement;

interface Matcher {
  readonly everything: boolean;
  readonly steps: Map<PatternStep, Matcher>;
}

/** Only fields on or below the given paths: includeFields(["spec", "containers", anyElement, "resources"]). */
export function includeFields(...patterns: readonly (readonly PatternStep[])[]): FieldFilter {
  const root = patterns.map(matcherOf).reduce(mergeMatchers);
  return (set) => filterTree(set, root) ?? LEAF;
}

function matcherOf(pattern: readonly PatternStep[]): Matcher {
  const [step, ...rest] = pattern;
  if (step === undefined) return { everything: true, steps: new Map() };
  const key = step === anyElement ? step : `f:${step}`;
  return { everything: false, steps: new Map([[key, matcherOf(rest)]]) };
}

function mergeMatchers(a: Matcher, b: Matcher): Matcher {
  if (a.everything || b.everything) return { everything: true, steps: new Map() };
  const steps = new Map(a.steps);
  for (const [step, matcher] of b.steps) {
    const known = steps.get(step);
    steps.set(step, known === undefined ? matcher : mergeMatchers(known, matcher));
  }
  return { everything: false, steps };
}

function filterTree(set: FieldSet, matcher: Matcher): FieldSet | undefined {
  if (matcher.everything) return set;
  const out: Record<string, FieldSet> = {};
  for (const key of Object.keys(set)) {
    // As upstream, a wildcard takes precedence over names beside it.
    const next = key === "." ? undefined : (matcher.steps.get(anyElement) ?? matcher.steps.get(key));
    if (next === undefined) continue;
    const child = set[key] as FieldSet;
    const below = child === LEAF ? undefined : filterTree(child, next);
    const kept = isMember(child) ? { ".": LEAF, ...below } : below;
    if (kept !== undefined) out[key] = Object.keys(kept).some((name) => name !== ".") ? kept : LEAF;
  }
  for (const _ in out) return sortKeys(out);
  return undefined;
}
