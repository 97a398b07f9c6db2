// Label selectors: requirements that are ANDed, matched against a set of labels and printed
// canonically. Text is read in label-selector-parser.ts.
// Upstream: k8s.io/apimachinery/pkg/labels and pkg/apis/meta/v1/helpers.go

import { ValueError } from "#api/errors.ts";
import * as field from "#api/field-error.ts";
import { goQuote, parseInt64 } from "#api/go-text.ts";
import type { LabelSelector } from "#api/meta.ts";
import { isLabelValue, isQualifiedName } from "#api/names.ts";

export type Labels = Readonly<Record<string, string>>;

export type SelectorOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

export const BINARY_OPERATORS: readonly SelectorOperator[] = ["in", "notin", "=", "==", "!=", "gt", "lt"];

export interface Requirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

export class Selector {
  /** Sorted by key. */
  readonly requirements: readonly Requirement[];
  /** False only for `nothing`, which no object matches. */
  readonly isSelectable: boolean;
  constructor(requirements: readonly Requirement[], isSelectable = true) {
    this.requirements = requirements;
    this.isSelectable = isSelectable;
  }
  /** Whether it matches everything. */
  get isEmpty(): boolean {
    return this.isSelectable && this.requirements.length === 0;
  }
  matches(labels: Labels | undefined): boolean {
    if (!this.isSelectable) return false;
    for (const requirement of this.requirements) if (!meets(labels, requirement)) return false;
    return true;
  }
  add(...requirements: readonly Requirement[]): Selector {
    return this.isSelectable ? new Selector(sortByKey([...this.requirements, ...requirements])) : this;
  }
  /** The single value that the selector requires of a label, if any. */
  requiredValue(key: string): string | undefined {
    const requirement = this.requirements.find((candidate) => candidate.key === key);
    if (requirement === undefined || requirement.values.length !== 1) return undefined;
    const { operator } = requirement;
    return operator === "=" || operator === "==" || operator === "in" ? requirement.values[0] : undefined;
  }
  toString(): string {
    return this.requirements.map(printRequirement).join(",");
  }
}

export const everything: Selector = new Selector([]);
export const nothing: Selector = new Selector([], false);

/** A stable sort, so that requirements on one key keep their order. */
export function sortByKey(requirements: Requirement[]): Requirement[] {
  return requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** A label's value. Keys such as "constructor" are legal, so inherited members must be ignored. */
function lookup(labels: Labels | undefined, key: string): string | undefined {
  const value: unknown = labels?.[key];
  return typeof value === "string" ? value : undefined;
}

function meets(labels: Labels | undefined, { key, operator, values }: Requirement): boolean {
  const value = lookup(labels, key);
  switch (operator) {
    case "in":
    case "=":
    case "==":
      return value !== undefined && values.includes(value);
    case "notin":
    case "!=":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt":
      return value !== undefined && compares(value, operator, values);
  }
}

function compares(value: string, operator: "gt" | "lt", values: readonly string[]): boolean {
  const left = parseInt64(value);
  const right = parseInt64(values[0] ?? "");
  if ("error" in left || "error" in right || values.length !== 1) return false;
  return operator === "gt" ? left.value > right.value : left.value < right.value;
}

const OPERATOR_TEXT: Readonly<Record<SelectorOperator, string>> = {
  in: " in ",
  notin: " notin ",
  "=": "=",
  "==": "==",
  "!=": "!=",
  gt: ">",
  lt: "<",
  exists: "",
  "!": "",
};

function printRequirement({ key, operator, values }: Requirement): string {
  if (operator === "exists") return key;
  if (operator === "!") return `!${key}`;
  const list = values.length === 1 ? (values[0] ?? "") : [...values].sort().join(",");
  const isSet = operator === "in" || operator === "notin";
  return `${key}${OPERATOR_TEXT[operator]}${isSet ? `(${list})` : list}`;
}

export function validateKey(key: string, path: field.FieldPath | undefined): field.FieldError[] {
  const errors = isQualifiedName(key);
  return errors.length > 0 ? [field.invalid(path, key, errors.join("; "))] : [];
}

/** Throws a ValueError with upstream's aggregate text when key, operator and values do not match. */
export function newRequirement(
  key: string,
  operator: SelectorOperator,
  values: readonly string[],
  path?: field.FieldPath,
): Requirement {
  const valuesPath = field.childOf(path, "values");
  const errors = [
    ...validateKey(key, field.childOf(path, "key")),
    ...validateValueCount(operator, values, path),
    ...values.flatMap((value, i) => {
      const complaints = isLabelValue(value);
      return complaints.length > 0 ? [field.invalid(valuesPath.index(i).key(key), value, complaints.join("; "))] : [];
    }),
  ];
  if (errors.length > 0) throw new ValueError("labelSelector", field.aggregateText(errors.map(field.errorText)));
  return { key, operator, values };
}

function validateValueCount(
  operator: SelectorOperator,
  values: readonly string[],
  path: field.FieldPath | undefined,
): field.FieldError[] {
  const valuesPath = field.childOf(path, "values");
  // No values are a nil slice upstream, which prints as null.
  const badValue = values.length === 0 ? null : values;
  const wrong = (detail: string): field.FieldError[] => [field.invalid(valuesPath, badValue, detail)];
  switch (operator) {
    case "in":
    case "notin":
      return values.length > 0 ? [] : wrong("for 'in', 'notin' operators, values set can't be empty");
    case "=":
    case "==":
    case "!=":
      return values.length === 1 ? [] : wrong("exact-match compatibility requires one single value");
    case "exists":
    case "!":
      return values.length === 0 ? [] : wrong("values set must be empty for exists and does not exist");
    case "gt":
    case "lt": {
      const errors = values.length === 1 ? [] : wrong("for 'Gt', 'Lt' operators, exactly one value is required");
      const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
      values.forEach((value, i) => {
        if ("error" in parseInt64(value)) errors.push(field.invalid(valuesPath.index(i), value, detail));
      });
      return errors;
    }
    default:
      return [field.notSupported(field.childOf(path, "operator"), operator, [...BINARY_OPERATORS, "exists", "!"])];
  }
}

/** A selector for exactly these labels, without validation; no labels select everything. */
export function selectorFromSet(labels: Labels | undefined): Selector {
  const entries = Object.entries(labels ?? {});
  if (entries.length === 0) return everything;
  return new Selector(sortByKey(entries.map(([key, value]) => ({ key, operator: "=" as const, values: [value] }))));
}

const OBJECT_OPERATORS: Readonly<Record<string, SelectorOperator>> = {
  __proto__: null as never,
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/** A missing selector selects nothing, an empty one everything. Throws a ValueError for an invalid one. */
export function selectorFromObject(selector: LabelSelector | null | undefined): Selector {
  if (selector === undefined || selector === null) return nothing;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const keys = Object.keys(matchLabels).sort();
  if (keys.length + matchExpressions.length === 0) return everything;
  const requirements = keys.map((key) => newRequirement(key, "=", [matchLabels[key] ?? ""]));
  for (const expression of matchExpressions) {
    const operator = OBJECT_OPERATORS[expression.operator];
    if (operator === undefined) {
      const message = `${goQuote(expression.operator)} is not a valid label selector operator`;
      throw new ValueError("labelSelector", message);
    }
    requirements.push(newRequirement(expression.key, operator, expression.values ?? []));
  }
  return new Selector(sortByKey(requirements));
}

/** The labels of an equivalent map selector (services, replication controllers). */
export function selectorAsMap(selector: LabelSelector | undefined): Record<string, string> {
  const map: Record<string, string> = { ...selector?.matchLabels };
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const [value] = values;
    if (operator === "In" && value !== undefined && values.length === 1) map[key] = value;
    else throw new ValueError("labelSelector", notAMap(operator));
  }
  return map;
}

function notAMap(operator: string): string {
  if (!Object.hasOwn(OBJECT_OPERATORS, operator)) return `${goQuote(operator)} is not a valid selector operator`;
  const why = operator === "In" ? " without a single value" : "";
  return `operator ${goQuote(operator)}${why} cannot be converted into the old label selector format`;
}

/** How kubectl and events print a selector object. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  try {
    return selectorFromObject(selector).toString() || "<none>";
  } catch (error) {
    if (error instanceof ValueError) return "<error>";
    throw error;
  }
}

/** A selector object as Go prints the protobuf message with %v. */
export function selectorGoText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "nil";
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  const list = `[]LabelSelectorRequirement{${expressions.join("")}}`;
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:${list},}`;
}
