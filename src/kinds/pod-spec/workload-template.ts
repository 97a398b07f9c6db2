// Selectors and templates of workloads, and parameters of rolling updates.
// Upstream: pkg/apis/apps/validation, ValidatePodTemplateSpecForReplicaSet, ValidatePositiveIntOrPercent

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { type IntOrString, intValue } from "#api/int-or-string.ts";
import { type Selector, selectorFromObject } from "#api/label-selector.ts";
import type { LabelSelector } from "#api/meta.ts";
import { isPercent } from "#api/names.ts";
import { podTemplateSpec } from "#kinds/core/pod-validation.ts";
import { type Errors, IMMUTABLE, labelSelector, nonNegative, oneOf, type Path } from "#kinds/parts/checks.ts";
import { internalForm, sortedMap } from "#kinds/parts/internal-form.ts";
import type { PodOptions } from "./pod-options.ts";

type MaybeSelector = LabelSelector | undefined | null;

const selectorForm = (selector: MaybeSelector): unknown => (selector ? internalForm("LabelSelector", selector) : null);

export function parseSelector(selector: MaybeSelector): Selector | undefined {
  try {
    return selectorFromObject(selector);
  } catch {
    return undefined; // The check of the selector reports the invalid part.
  }
}

export const isEmptySelector = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length + (matchExpressions ?? []).length === 0;

/** The selector that the template must match; undefined if it is invalid. */
export function workloadSelector(
  errors: Errors,
  selector: MaybeSelector,
  path: Path,
  kind: string,
  brokenDetail = "invalid label selector",
): Selector | undefined {
  if (!selector) errors.push(field.required(path, ""));
  else {
    labelSelector(errors, selector, path);
    if (isEmptySelector(selector)) errors.push(field.invalid(path, {}, `empty selector is invalid for ${kind}`));
  }
  const parsed = parseSelector(selector);
  if (parsed === undefined) errors.push(field.invalid(path, selectorForm(selector), brokenDetail));
  return parsed;
}

export function fixedSelector(errors: Errors, selector: MaybeSelector, old: MaybeSelector, path: Path): void {
  if (!semanticEqual(selector, old)) errors.push(field.invalid(path, selectorForm(selector), IMMUTABLE));
}

export function templateMatches(errors: Errors, template: core.PodTemplateSpec, selector: Selector, path: Path): void {
  const labels = template.metadata?.labels;
  if (selector.matches(labels ?? {})) return;
  const at = path.child("metadata", "labels");
  errors.push(field.invalid(at, sortedMap(labels ?? null), "`selector` does not match template `labels`"));
}

/** Pods of controllers that keep them running must have restartPolicy Always and no deadline. */
export function keptRunning(errors: Errors, template: core.PodTemplateSpec, kind: string, path: Path): void {
  oneOf(errors, template.spec?.restartPolicy, path.child("spec", "restartPolicy"), ["Always"]);
  if (template.spec?.activeDeadlineSeconds === undefined) return;
  const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
  errors.push(field.forbidden(path.child("spec", "activeDeadlineSeconds"), detail));
}

export function workloadTemplate(
  errors: Errors,
  template: core.PodTemplateSpec,
  selector: Selector,
  kind: string,
  path: Path,
  opts: PodOptions,
): void {
  templateMatches(errors, template, selector, path);
  podTemplateSpec(errors, template, path, opts);
  keptRunning(errors, template, kind, path);
}

export function intOrPercent(errors: Errors, value: IntOrString, path: Path): void {
  if (typeof value === "number") nonNegative(errors, value, path);
  else for (const message of isPercent(value)) errors.push(field.invalid(path, value, message));
}

const isPercentText = (value: IntOrString): value is string =>
  typeof value === "string" && isPercent(value).length === 0;

/** The number, without the percent sign if there is one. */
export const bareNumber = (value: IntOrString): number =>
  isPercentText(value) ? Number(value.slice(0, -1)) : intValue(value);

export function atMost100Percent(errors: Errors, value: IntOrString, path: Path): void {
  if (!isPercentText(value) || bareNumber(value) <= 100) return;
  errors.push(field.invalid(path, value, "must not be greater than 100%"));
}

/** A count that must never decrease, because revision names derive from it. */
export function notDecremented(errors: Errors, value: number | undefined, old: number | undefined, path: Path): void {
  if (old === undefined || (value !== undefined && value >= old)) return;
  errors.push(field.invalid(path, value ?? 0, "cannot be decremented"));
}
