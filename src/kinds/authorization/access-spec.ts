// The spec of access reviews: its validation, and the authorizer's question.
// Upstream: pkg/apis/authorization/validation; pkg/registry/authorization/util/helpers.go

import { ValueError } from "#api/errors.ts";
import * as field from "#api/field-error.ts";
import { parseFieldSelector } from "#api/field-selector.ts";
import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from "#api/generated/types/authorization-v1.ts";
import { newRequirement, type SelectorOperator } from "#api/label-selector.ts";
import { parseLabelSelector } from "#api/label-selector-parser.ts";
import { isLabelValue, isQualifiedName } from "#api/names.ts";
import type { KubeObject } from "#api/object.ts";
import type { AccessQuestion } from "#kinds/hooks.ts";

/** The spec of a self review has no user and no groups. */
export type AccessSpec = SubjectAccessReviewSpec;

const SPEC = field.newPath("spec");
/** As upstream, the path has one element with a dot in it. */
const RESOURCE = field.newPath("spec.resourceAttributes");

export function validateAccess({ resourceAttributes, nonResourceAttributes }: AccessSpec): field.FieldError[] {
  const errors: field.FieldError[] = [];
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const detail = "cannot be specified in combination with resourceAttributes";
    errors.push(field.invalid(SPEC.child("nonResourceAttributes"), internalForm(nonResourceAttributes), detail));
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    errors.push(field.invalid(SPEC.child("resourceAttributes"), null, detail));
  }
  return errors;
}

export function validateSubject({ user = "", groups = [] }: AccessSpec): field.FieldError[] {
  if (user !== "" || groups.length > 0) return [];
  return [field.invalid(SPEC.child("user"), user, "at least one of user or group must be specified")];
}

export function validateSelectors({ resourceAttributes }: AccessSpec): field.FieldError[] {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  return [
    ...(fieldSelector === undefined ? [] : validateFieldSelector(fieldSelector, RESOURCE.child("fieldSelector"))),
    ...(labelSelector === undefined ? [] : validateLabelSelector(labelSelector, RESOURCE.child("labelSelector"))),
  ];
}

/** The metadata must be empty except for managedFields and, in namespaced reviews, the namespace. */
export function validateEmptyMeta({ metadata = {} }: KubeObject, namespaced: boolean): field.FieldError[] {
  const { managedFields: _managed, namespace, ...rest } = metadata;
  if (Object.keys(rest).length === 0 && (namespaced || namespace === undefined)) return [];
  const detail = namespaced ? "must be empty except for namespace" : "must be empty";
  return [field.invalid(field.newPath("metadata"), metadata, detail)];
}

export function validateLocal(
  { resourceAttributes, nonResourceAttributes }: AccessSpec,
  namespace: string,
): field.FieldError[] {
  const errors: field.FieldError[] = [];
  const asked = resourceAttributes?.namespace ?? "";
  if (resourceAttributes !== undefined && asked !== namespace) {
    const path = field.newPath("spec.resourceAttributes.namespace");
    errors.push(field.invalid(path, asked, "must match metadata.namespace"));
  }
  if (nonResourceAttributes !== undefined) {
    const path = field.newPath("spec.nonResourceAttributes");
    errors.push(field.invalid(path, internalForm(nonResourceAttributes), "disallowed on this kind of request"));
  }
  return errors;
}

/** Errors print upstream's Go field names. */
const internalForm = ({ path = "", verb = "" }: NonResourceAttributes): unknown => ({ Path: path, Verb: verb });

interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly unknown[];
}

function validateChoice(
  { rawSelector = "", requirements = [] }: SelectorAttributes,
  path: field.FieldPath,
): field.FieldError[] {
  if (rawSelector !== "" && requirements.length > 0) {
    return [
      field.invalid(path.child("rawSelector"), rawSelector, "may not specified at the same time as requirements"),
    ];
  }
  if (rawSelector !== "" || requirements.length > 0) return [];
  const detail = `when ${path} is specified, requirements or rawSelector is required`;
  return [field.required(path.child("requirements"), detail)];
}

/** Unknown operators, from later versions, are accepted. */
function validateOperator(operator: string, values: readonly string[], path: field.FieldPath): field.FieldError[] {
  if ((operator === "In" || operator === "NotIn") && values.length === 0) {
    return [field.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
    return [
      field.forbidden(path.child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
    ];
  }
  return [];
}

function validateFieldSelector(selector: FieldSelectorAttributes, path: field.FieldPath): field.FieldError[] {
  const errors = validateChoice(selector, path);
  for (const [index, { key, operator, values = [] }] of (selector.requirements ?? []).entries()) {
    const at = path.child("requirements").index(index);
    if (key === "") errors.push(field.required(at.child("key"), "must be specified"));
    errors.push(...validateOperator(operator, values, at));
  }
  return errors;
}

function validateLabelSelector(selector: LabelSelectorAttributes, path: field.FieldPath): field.FieldError[] {
  const errors = validateChoice(selector, path);
  for (const [index, { key, operator, values = [] }] of (selector.requirements ?? []).entries()) {
    const at = path.child("requirements").index(index);
    errors.push(...validateOperator(operator, values, at));
    for (const message of isQualifiedName(key)) errors.push(field.invalid(at.child("key"), key, message));
    for (const [valueIndex, value] of values.entries()) {
      const valuePath = at.child("values").index(valueIndex);
      for (const message of isLabelValue(value)) errors.push(field.invalid(valuePath, value, message));
    }
  }
  return errors;
}

export function questionOf({ resourceAttributes, nonResourceAttributes }: AccessSpec): AccessQuestion {
  if (resourceAttributes === undefined) {
    const { path = "", verb = "" } = nonResourceAttributes ?? {};
    return { path, verb };
  }
  const { verb = "", group = "", version = "", namespace = "" } = resourceAttributes;
  const { resource = "", subresource = "", name = "" } = resourceAttributes;
  return { verb, group, version: version || "*", namespace, resource, subresource, name };
}

/** "" if all selectors were parsed. Upstream: BuildEvaluationError */
export function evaluationError({ resourceAttributes = {} }: AccessSpec): string {
  const problems = [
    ignored("fieldSelector", fieldTerms(resourceAttributes)),
    ignored("labelSelector", labelTerms(resourceAttributes)),
  ];
  return problems.filter((text) => text !== "").join("; ");
}

/** How many terms of a selector were parsed. */
interface Terms {
  readonly good: number;
  readonly bad: number;
}

function ignored(selector: string, { good, bad }: Terms): string {
  if (bad === 0) return "";
  return `spec.resourceAttributes.${selector} ${good > 0 ? "partially ignored" : "ignored"} due to parse error`;
}

const count = (results: readonly boolean[]): Terms => ({
  good: results.filter((isGood) => isGood).length,
  bad: results.filter((isGood) => !isGood).length,
});

function canRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof ValueError) return false;
    throw error;
  }
}

function fieldTerms({ fieldSelector = {} }: ResourceAttributes): Terms {
  const { rawSelector = "", requirements = [] } = fieldSelector;
  if (rawSelector !== "") return count([canRead(() => parseFieldSelector(rawSelector))]);
  return count(
    requirements.map(({ operator, values = [] }) => ["In", "NotIn"].includes(operator) && values.length === 1),
  );
}

const OPERATORS: Readonly<Record<string, SelectorOperator>> = {
  __proto__: null as never,
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

function labelTerms({ labelSelector = {} }: ResourceAttributes): Terms {
  const { rawSelector = "", requirements = [] } = labelSelector;
  if (rawSelector !== "") return count([canRead(() => parseLabelSelector(rawSelector))]);
  return count(
    requirements.map(({ key, operator, values = [] }) => {
      const known = OPERATORS[operator];
      return known !== undefined && canRead(() => newRequirement(key, known, values));
    }),
  );
}
