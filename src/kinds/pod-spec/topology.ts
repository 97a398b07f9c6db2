// Topology spread constraints. Upstream: pkg/apis/core/validation, validateTopologySpreadConstraints

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { type Errors, labelSelector, oneOf, type Path, positive, qualifiedName } from "#kinds/parts/checks.ts";
import type { PodOptions } from "./pod-options.ts";

interface LabelKeys {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly labelSelector?: core.TopologySpreadConstraint["labelSelector"];
}

// Upstream: ValidateMatchLabelKeysAndMismatchLabelKeys
export function matchLabelKeys(errors: Errors, term: LabelKeys, path: Path): void {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  labelKeys(errors, matchLabelKeys, term, path.child("matchLabelKeys"));
  labelKeys(errors, mismatchLabelKeys, term, path.child("mismatchLabelKeys"));
  if (labelSelector) {
    // A key occurs in the selector once if it was merged from matchLabelKeys; a second occurrence is from the user.
    const seen = new Set(Object.keys(labelSelector.matchLabels ?? {}));
    for (const { key } of labelSelector.matchExpressions ?? []) {
      const i = matchLabelKeys.lastIndexOf(key);
      if (i >= 0 && seen.has(key)) {
        errors.push(field.invalid(path.index(i), key, "exists in both matchLabelKeys and labelSelector"));
      }
      seen.add(key);
    }
  }
  matchLabelKeys.forEach((key, i) => {
    if (!mismatchLabelKeys.includes(key)) return;
    const detail = "exists in both matchLabelKeys and mismatchLabelKeys";
    errors.push(field.invalid(path.child("matchLabelKeys").index(i), key, detail));
  });
}

function labelKeys(errors: Errors, keys: readonly string[], term: LabelKeys, path: Path): void {
  if (keys.length === 0) return;
  if (!term.labelSelector) errors.push(field.forbidden(path, "must not be specified when labelSelector is not set"));
  else
    keys.forEach((key, i) => {
      qualifiedName(errors, key, path.index(i));
    });
}

// Upstream: ValidateMatchLabelKeysInTopologySpread
function legacyLabelKeys(errors: Errors, { matchLabelKeys = [], labelSelector }: LabelKeys, path: Path): void {
  if (matchLabelKeys.length === 0) return;
  if (!labelSelector) errors.push(field.forbidden(path, "must not be specified when labelSelector is not set"));
  const known = new Set([
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
  matchLabelKeys.forEach((key, i) => {
    qualifiedName(errors, key, path.index(i));
    if (known.has(key)) {
      errors.push(field.invalid(path.index(i), key, "exists in both matchLabelKeys and labelSelector"));
    }
  });
}

export function topologySpread(
  errors: Errors,
  constraints: readonly core.TopologySpreadConstraint[],
  path: Path,
  opts: PodOptions,
): void {
  constraints.forEach((constraint, i) => {
    const at = path.index(i);
    const { topologyKey = "", whenUnsatisfiable = "" } = constraint;
    positive(errors, constraint.maxSkew ?? 0, at.child("maxSkew"));
    if (topologyKey === "") errors.push(field.required(at.child("topologyKey"), "can not be empty"));
    oneOf(errors, whenUnsatisfiable, at.child("whenUnsatisfiable"), ["DoNotSchedule", "ScheduleAnyway"]);
    const isRepeated = constraints
      .slice(i + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (isRepeated) {
      const pair = `{${topologyKey}, ${whenUnsatisfiable}}`;
      errors.push(field.duplicate(at.child("{topologyKey, whenUnsatisfiable}"), pair));
    }
    minDomains(errors, constraint, at.child("minDomains"));
    for (const policy of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      if (constraint[policy] !== undefined) oneOf(errors, constraint[policy], at.child(policy), ["Honor", "Ignore"]);
    }
    if (opts.allowSpreadLabelKeys) matchLabelKeys(errors, constraint, at);
    else legacyLabelKeys(errors, constraint, at.child("matchLabelKeys"));
    if (!opts.allowInvalidSpreadSelector) labelSelector(errors, constraint.labelSelector, at.child("labelSelector"));
  });
}

function minDomains(
  errors: Errors,
  { minDomains, whenUnsatisfiable = "" }: core.TopologySpreadConstraint,
  path: Path,
): void {
  if (minDomains === undefined) return;
  positive(errors, minDomains, path);
  if (whenUnsatisfiable === "DoNotSchedule") return;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  errors.push(field.invalid(path, minDomains, detail));
}
