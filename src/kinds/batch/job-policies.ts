// The policies of a Job: pod failure, success, pod replacement.
// Upstream: pkg/apis/batch/validation, validatePodFailurePolicy, validateSuccessPolicy, validatePodReplacementPolicy

import * as field from "#api/field-error.ts";
import type * as batch from "#api/generated/types/batch-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { type Errors, nonNegative, oneOf, type Path, qualifiedName, requiredOneOf } from "#kinds/parts/checks.ts";
import { countIndexes } from "./job-indexes.ts";

const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;
const PATTERNS_MAX = 20;
const SUCCEEDED_INDEXES_BYTES_MAX = 64 * 1024;

const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS = ["In", "NotIn"];
const STATUSES = ["False", "True", "Unknown"];

const validValues = (values: readonly string[]): string => `valid values: [${values.map(goQuote).join(" ")}]`;

export function podFailurePolicy(errors: Errors, spec: Partial<batch.JobSpec>, path: Path): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const at = path.child("rules");
  if (rules.length > RULES_MAX) errors.push(field.tooMany(at, rules.length, RULES_MAX));
  const { containers, initContainers } = spec.template?.spec ?? {};
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  rules.forEach((rule, i) => {
    failureRule(errors, rule, at.index(i), names, spec.backoffLimitPerIndex !== undefined);
  });
}

function failureRule(
  errors: Errors,
  rule: batch.PodFailurePolicyRule,
  path: Path,
  containerNames: ReadonlySet<string>,
  isPerIndex: boolean,
): void {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const at = path.child("action");
  if (action !== "FailIndex") requiredOneOf(errors, action, at, ACTIONS, validValues(ACTIONS));
  else if (!isPerIndex) errors.push(field.invalid(at, action, "requires the backoffLimitPerIndex to be set"));
  if (onExitCodes) exitCodes(errors, onExitCodes, path.child("onExitCodes"), containerNames);
  podConditions(errors, onPodConditions, path.child("onPodConditions"));
  if (onExitCodes && onPodConditions.length > 0) {
    const detail = "specifying both OnExitCodes and OnPodConditions is not supported";
    errors.push(field.invalidWithoutValue(path, detail));
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    errors.push(field.invalidWithoutValue(path, "specifying one of OnExitCodes and OnPodConditions is required"));
  }
}

function podConditions(
  errors: Errors,
  patterns: readonly batch.PodFailurePolicyOnPodConditionsPattern[],
  path: Path,
): void {
  if (patterns.length > PATTERNS_MAX) errors.push(field.tooMany(path, patterns.length, PATTERNS_MAX));
  patterns.forEach(({ type = "", status }, i) => {
    qualifiedName(errors, type, path.index(i).child("type"));
    requiredOneOf(errors, status, path.index(i).child("status"), STATUSES, validValues(STATUSES));
  });
}

function exitCodes(
  errors: Errors,
  requirement: batch.PodFailurePolicyOnExitCodesRequirement,
  path: Path,
  containerNames: ReadonlySet<string>,
): void {
  const { operator, containerName } = requirement;
  const values = requirement.values ?? [];
  requiredOneOf(errors, operator, path.child("operator"), OPERATORS, validValues(OPERATORS));
  if (containerName !== undefined && !containerNames.has(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    errors.push(field.invalid(path.child("containerName"), containerName, detail));
  }
  const at = path.child("values");
  if (values.length === 0) errors.push(field.invalid(at, requirement.values ?? null, "at least one value is required"));
  else if (values.length > EXIT_CODES_MAX) errors.push(field.tooMany(at, values.length, EXIT_CODES_MAX));
  values.forEach((value, i) => {
    if (operator === "In" && value === 0) {
      errors.push(field.invalid(at.index(i), value, "must not be 0 for the In operator"));
    }
    if (values.indexOf(value) < i) errors.push(field.duplicate(at.index(i), value));
  });
  const isOrdered = values.every((value, i) => i === 0 || (values[i - 1] ?? 0) <= value);
  if (!isOrdered) errors.push(field.invalid(at, values, "must be ordered"));
}

/** Only Indexed Jobs may have a success policy. */
export function successPolicy(errors: Errors, policy: batch.SuccessPolicy, completions: number, path: Path): void {
  const rules = policy.rules ?? [];
  const at = path.child("rules");
  if (rules.length === 0) {
    errors.push(field.required(at, "at least one rules must be specified when the successPolicy is specified"));
  }
  if (rules.length > RULES_MAX) errors.push(field.tooMany(at, rules.length, RULES_MAX));
  rules.forEach((rule, i) => {
    successRule(errors, rule, completions, at.index(i));
  });
}

function successRule(errors: Errors, rule: batch.SuccessPolicyRule, completions: number, path: Path): void {
  const { succeededCount, succeededIndexes } = rule;
  if (succeededCount === undefined && succeededIndexes === undefined) {
    errors.push(field.required(path, "at least one of succeededCount or succeededIndexes must be specified"));
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const at = path.child("succeededIndexes");
    if (succeededIndexes.length > SUCCEEDED_INDEXES_BYTES_MAX) {
      errors.push(field.tooLong(at, SUCCEEDED_INDEXES_BYTES_MAX));
    }
    const counted = countIndexes(succeededIndexes, completions);
    if (typeof counted === "number") total = counted;
    else errors.push(field.invalid(at, succeededIndexes, `error parsing succeededIndexes: ${counted.error}`));
  }
  if (succeededCount === undefined) return;
  const at = path.child("succeededCount");
  const atMost = (limit: number, what: string): void => {
    if (succeededCount <= limit) return;
    errors.push(field.invalid(at, succeededCount, `must be less than or equal to ${limit} (${what})`));
  };
  nonNegative(errors, succeededCount, at);
  atMost(completions, "the number of specified completions");
  if (succeededIndexes !== undefined) {
    atMost(total, "the number of indexes in the specified succeededIndexes field");
  }
}

export function podReplacementPolicy(errors: Errors, spec: Partial<batch.JobSpec>, path: Path): void {
  if (spec.podReplacementPolicy === undefined) return;
  const supported = spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  oneOf(errors, spec.podReplacementPolicy, path, supported);
}
