// Which requests webhooks and policies match: rules, match resources, match conditions.
// Upstream: pkg/apis/admissionregistration/validation/validation.go

import * as field from "#api/field-error.ts";
import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import { isPathSegmentName } from "#api/names.ts";
import { BOOL } from "#cel/types.ts";
import {
  type Errors,
  labelSelector,
  name,
  oneOf,
  type Path,
  qualifiedName,
  requiredOneOf,
} from "#kinds/parts/checks.ts";
import { PolicyExpressions } from "./policy-expressions.ts";

export const FAILURE_POLICIES: readonly string[] = ["Fail", "Ignore"];
export const MATCH_POLICIES: readonly string[] = ["Equivalent", "Exact"];
export const REINVOCATION_POLICIES: readonly string[] = ["IfNeeded", "Never"];
const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES = ["*", "Cluster", "Namespaced"];
const CONDITIONS_MAX = 64;

export function ruleWithOperations(errors: Errors, rule: admission.RuleWithOperations, path: Path): void {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const listed = (values: readonly string[], key: string, what: string): void => {
    if (values.length === 0) errors.push(field.required(path.child(key), ""));
    if (values.length > 1 && values.includes("*")) {
      errors.push(field.invalid(path.child(key), values, `if '*' is present, must not specify other ${what}`));
    }
  };
  listed(operations, "operations", "operations");
  operations.forEach((operation, i) => {
    oneOf(errors, operation, path.child("operations").index(i), OPERATIONS);
  });
  listed(apiGroups, "apiGroups", "API groups");
  listed(apiVersions, "apiVersions", "API versions");
  apiVersions.forEach((version, i) => {
    if (version === "") errors.push(field.required(path.child("apiVersions").index(i), ""));
  });
  matchedResources(errors, resources, path.child("resources"));
  if (scope !== undefined) oneOf(errors, scope, path.child("scope"), SCOPES);
}

/** A resource must not be listed both by name and by an earlier wildcard. */
function matchedResources(errors: Errors, resources: readonly string[], path: Path): void {
  if (resources.length === 0) errors.push(field.required(path, ""));
  const anySubresource = new Set<string>();
  const anyResource = new Set<string>();
  let isLastPlain = false;
  resources.forEach((text, i) => {
    if (text === "") {
      errors.push(field.required(path.index(i), ""));
      return;
    }
    const slash = text.indexOf("/");
    if (slash < 0) {
      // As upstream, only the last entry without a subresource counts.
      isLastPlain = text !== "*";
      return;
    }
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
    const repeats = (wildcard: string): void => {
      errors.push(field.invalid(path.index(i), text, `if '${wildcard}' is present, must not specify ${text}`));
    };
    if (anySubresource.has(resource)) repeats(`${resource}/*`);
    if (anyResource.has(subresource)) repeats(`*/${subresource}`);
    if (subresource === "*") anySubresource.add(resource);
    if (resource === "*") anyResource.add(subresource);
  });
  if (resources.length > 1 && resources.includes("*/*")) {
    errors.push(field.invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes("*") && isLastPlain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(field.invalid(path, resources, detail));
  }
}

export function matchResources(errors: Errors, match: admission.MatchResources | undefined, path: Path): void {
  if (match === undefined) return;
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  if (matchPolicy === undefined) errors.push(field.required(path.child("matchPolicy"), ""));
  else oneOf(errors, matchPolicy, path.child("matchPolicy"), MATCH_POLICIES);
  for (const [key, selector] of Object.entries({ namespaceSelector, objectSelector })) {
    if (selector === undefined) errors.push(field.required(path.child(key), ""));
    else labelSelector(errors, selector, path.child(key));
  }
  for (const [key, rules] of Object.entries({ resourceRules, excludeResourceRules })) {
    rules.forEach((rule, i) => {
      namedRule(errors, rule, path.child(key).index(i));
    });
  }
}

function namedRule(errors: Errors, rule: admission.NamedRuleWithOperations, path: Path): void {
  const seen = new Set<string>();
  rule.resourceNames?.forEach((resourceName, i) => {
    const at = path.child("resourceNames").index(i);
    name(errors, resourceName, at, isPathSegmentName);
    if (seen.has(resourceName)) errors.push(field.duplicate(at, resourceName));
    seen.add(resourceName);
  });
  ruleWithOperations(errors, rule, path);
}

/** Match conditions see no variables; `hasParams` is whether they see parameters. */
export function matchConditions(
  errors: Errors,
  conditions: readonly admission.MatchCondition[],
  hasParams: boolean,
  path: Path,
): void {
  if (conditions.length > CONDITIONS_MAX) errors.push(field.tooMany(path, conditions.length, CONDITIONS_MAX));
  const expressions = new PolicyExpressions(errors, false);
  const names = new Set<string>();
  conditions.forEach(({ name: conditionName = "", expression = "" }, i) => {
    const at = path.index(i);
    const text = expression.trim();
    if (text === "") errors.push(field.required(at.child("expression"), ""));
    else {
      const visible = { params: hasParams, authorizer: true };
      expressions.check({ path: at.child("expression"), text, types: [BOOL], visible });
    }
    if (conditionName === "") errors.push(field.required(at.child("name"), ""));
    else qualifiedName(errors, conditionName, at.child("name"));
    if (conditionName === "") return;
    if (names.has(conditionName)) errors.push(field.duplicate(at.child("name"), conditionName));
    names.add(conditionName);
  });
}

export const failurePolicy = (errors: Errors, policy: string | undefined, path: Path): void => {
  if (policy === undefined) errors.push(field.required(path, ""));
  else oneOf(errors, policy, path, FAILURE_POLICIES);
};

export const reinvocationPolicy = (errors: Errors, policy: string | undefined, path: Path): void =>
  requiredOneOf(errors, policy, path, REINVOCATION_POLICIES);
