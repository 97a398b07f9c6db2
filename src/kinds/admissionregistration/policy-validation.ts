// Validation of admission policies and their bindings, except for the requests that they match.
// Upstream: pkg/apis/admissionregistration/validation/validation.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1035Label, isDns1123Subdomain, isPathSegmentName } from "#api/names.ts";
import { appliedType, jsonPatchType } from "#cel/policy-variables.ts";
import { BOOL, listType, NULL, STRING } from "#cel/types.ts";
import { type Errors, labelSelector, name, oneOf, type Path, qualifiedName } from "#kinds/parts/checks.ts";
import { genericObjectMeta } from "#kinds/parts/metadata.ts";
import { failurePolicy, matchConditions, matchResources, reinvocationPolicy } from "./match-rules.ts";
import { PolicyExpressions } from "./policy-expressions.ts";

const META = field.newPath("metadata");
const SPEC = field.newPath("spec");
const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const ACTIONS = ["Audit", "Deny", "Warn"];
const MUTATED_OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];
const AUDIT_ANNOTATIONS_MAX = 20;
const AUDIT_EXPRESSION_BYTES_MAX = 5 * 1024;

type Spec = Pick<
  admission.ValidatingAdmissionPolicySpec,
  "failurePolicy" | "paramKind" | "matchConstraints" | "matchConditions" | "variables"
>;

/** Match conditions are not compiled again if an update changes neither them nor the kind of their parameters. */
const sameConditions = (spec: Spec, old: Spec | undefined): boolean =>
  old !== undefined &&
  semanticEqual(spec.paramKind, old.paramKind) &&
  semanticEqual(spec.matchConditions ?? [], old.matchConditions ?? []);

/** The checks that both kinds of policies share, up to the variables. */
function policyHead(errors: Errors, spec: Spec, old: Spec | undefined, isMutating: boolean): void {
  failurePolicy(errors, spec.failurePolicy, SPEC.child("failurePolicy"));
  if (spec.paramKind) paramKind(errors, spec.paramKind, SPEC.child("paramKind"));
  const path = SPEC.child("matchConstraints");
  const { matchConstraints } = spec;
  if (matchConstraints === undefined) errors.push(field.required(path, ""));
  else {
    matchResources(errors, matchConstraints, path);
    if (!matchConstraints.resourceRules?.length) errors.push(field.required(path.child("resourceRules"), ""));
    if (isMutating) mutatedOperations(errors, matchConstraints, path);
  }
  if (sameConditions(spec, old)) return;
  const hasParams = spec.paramKind !== undefined;
  matchConditions(errors, spec.matchConditions ?? [], hasParams, SPEC.child("matchConditions"));
}

function mutatedOperations(errors: Errors, { resourceRules = [] }: admission.MatchResources, path: Path): void {
  for (const { operations = [] } of resourceRules) {
    for (const operation of operations) {
      oneOf(errors, operation, path.child("resourceRules", "operations"), MUTATED_OPERATIONS);
    }
  }
}

function paramKind(errors: Errors, { apiVersion = "", kind = "" }: admission.ParamKind, path: Path): void {
  const at = path.child("apiVersion");
  const parts = apiVersion === "/" ? ["", ""] : apiVersion.split("/");
  if (apiVersion === "") errors.push(field.required(at, ""));
  else if (parts.length > 2)
    errors.push(field.invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const [version = "", group = ""] = parts.reverse();
    const groupProblems = group === "" ? [] : isDns1123Subdomain(group);
    if (groupProblems.length > 0) errors.push(field.invalid(at, group, groupProblems.join(",")));
    if (version === "") errors.push(field.invalid(at, apiVersion, "version must be specified"));
    else {
      const problems = isDns1035Label(version);
      if (problems.length > 0) errors.push(field.invalid(at, version, problems.join(",")));
    }
  }
  if (kind === "") {
    errors.push(field.required(path.child("kind"), ""));
    return;
  }
  const problems = isDns1035Label(kind.toLowerCase());
  if (problems.length === 0) return;
  const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  errors.push(field.invalid(path.child("kind"), kind, detail));
}

const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const isIdentifier = (text: string): boolean => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(text) && !RESERVED.has(text);

function variables(errors: Errors, { variables = [], paramKind }: Spec, expressions: PolicyExpressions): void {
  variables.forEach(({ name: variableName = "", expression = "" }, i) => {
    const path = SPEC.child("variables").index(i);
    if (variableName.trim() === "") errors.push(field.required(path.child("name"), "name is not specified"));
    else if (!isIdentifier(variableName)) {
      errors.push(field.invalid(path.child("name"), variableName, "must be a valid CEL identifier"));
    }
    if (expression.trim() === "") {
      errors.push(field.required(path.child("expression"), "expression is not specified"));
      return;
    }
    const visible = { params: paramKind !== undefined, authorizer: true };
    expressions.addVariable(variableName, { path: path.child("expression"), text: expression, visible });
  });
}

export function validateValidatingPolicy(
  policy: admission.ValidatingAdmissionPolicy,
  old?: admission.ValidatingAdmissionPolicy,
): Errors {
  const errors: Errors = [];
  const { metadata = {}, spec = {} } = policy;
  genericObjectMeta(errors, metadata, false, isDns1123Subdomain, META);
  policyHead(errors, spec, old && (old.spec ?? {}), false);
  const expressions = new PolicyExpressions(errors, (spec.variables ?? []).length > 0);
  variables(errors, spec, expressions);
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    for (const key of ["validations", "auditAnnotations"]) errors.push(field.required(SPEC.child(key), detail));
    return errors;
  }
  const params = spec.paramKind !== undefined;
  validations.forEach((each, i) => {
    validation(errors, each, expressions, params, SPEC.child("validations").index(i));
  });
  const path = SPEC.child("auditAnnotations");
  if (auditAnnotations.length > AUDIT_ANNOTATIONS_MAX) {
    const detail = `must not have more than ${AUDIT_ANNOTATIONS_MAX} auditAnnotations`;
    errors.push(field.invalid(path, auditAnnotations, detail));
  }
  const keys = new Set<string>();
  auditAnnotations.forEach((each, i) => {
    auditAnnotation(errors, each, metadata.name ?? "", expressions, params, path.index(i));
    const { key = "" } = each;
    if (keys.has(key)) errors.push(field.duplicate(path.index(i).child("key"), key));
    keys.add(key);
  });
  return errors;
}

function validation(
  errors: Errors,
  { expression = "", message = "", messageExpression = "", reason }: admission.Validation,
  expressions: PolicyExpressions,
  params: boolean,
  path: Path,
): void {
  if (expression.trim() === "") errors.push(field.required(path.child("expression"), "expression is not specified"));
  else {
    const visible = { params, authorizer: true };
    expressions.check({ path: path.child("expression"), text: expression, types: [BOOL], visible });
  }
  if (messageExpression !== "") {
    const at = path.child("messageExpression");
    if (messageExpression.trim() === "") {
      errors.push(field.invalid(at, messageExpression, "must be non-empty if specified"));
    } else {
      expressions.check({ path: at, text: messageExpression, types: [STRING], visible: { params, authorizer: false } });
    }
  }
  if (message !== "" && message.trim() === "") {
    errors.push(field.invalid(path.child("message"), message, "must be non-empty if specified"));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(field.invalid(path.child("message"), message, "must not contain line breaks"));
  }
  if (reason !== undefined) oneOf(errors, reason, path.child("reason"), REASONS);
}

function auditAnnotation(
  errors: Errors,
  { key = "", valueExpression = "" }: admission.AuditAnnotation,
  policyName: string,
  expressions: PolicyExpressions,
  params: boolean,
  path: Path,
): void {
  if (policyName !== "") qualifiedName(errors, `${policyName}/${key}`, path.child("key"));
  else errors.push(field.invalid(path.child("key"), key, "requires metadata.name be non-empty"));
  const at = path.child("valueExpression");
  const text = valueExpression.trim();
  if (text === "") errors.push(field.required(at, "valueExpression is not specified"));
  else if (byteLength(text) > AUDIT_EXPRESSION_BYTES_MAX) {
    errors.push(field.required(at, `must not exceed ${AUDIT_EXPRESSION_BYTES_MAX} bytes in length`));
  } else {
    const visible = { params, authorizer: true };
    expressions.check({ path: at, text, quoted: valueExpression, types: [STRING, NULL], visible });
  }
}

export function validateMutatingPolicy(
  { metadata = {}, spec = {} }: admission.MutatingAdmissionPolicy,
  old?: admission.MutatingAdmissionPolicy,
): Errors {
  const errors: Errors = [];
  genericObjectMeta(errors, metadata, false, isDns1123Subdomain, META);
  policyHead(errors, spec, old && (old.spec ?? {}), true);
  const expressions = new PolicyExpressions(errors, true);
  variables(errors, spec, expressions);
  const { mutations = [] } = spec;
  const path = SPEC.child("mutations");
  if (mutations.length === 0) errors.push(field.required(path, "mutations must contain at least one item"));
  mutations.forEach((each, i) => {
    mutation(errors, each, expressions, spec.paramKind !== undefined, path.index(i));
  });
  reinvocationPolicy(errors, spec.reinvocationPolicy, SPEC.child("reinvocationPolicy"));
  return errors;
}

const PATCHES = {
  JSONPatch: { key: "jsonPatch", other: "applyConfiguration", type: listType(jsonPatchType) },
  ApplyConfiguration: { key: "applyConfiguration", other: "jsonPatch", type: appliedType() },
} as const;

function mutation(
  errors: Errors,
  given: admission.Mutation,
  expressions: PolicyExpressions,
  params: boolean,
  path: Path,
): void {
  const { patchType = "" } = given;
  if (patchType === "") {
    errors.push(field.required(path.child("patchType"), ""));
    return;
  }
  if (patchType !== "JSONPatch" && patchType !== "ApplyConfiguration") {
    errors.push(field.notSupported(path.child("patchType"), patchType, ["ApplyConfiguration", "JSONPatch"]));
    return;
  }
  const { key, other, type } = PATCHES[patchType];
  const patch = given[key];
  if (patch === undefined) {
    errors.push(field.required(path.child(key), `must be specified when patchType is ${patchType}`));
  } else {
    const at = path.child(key).child("expression");
    const text = (patch.expression ?? "").trim();
    const visible = { params, authorizer: true, mutationTypes: true };
    if (text === "") errors.push(field.required(at, ""));
    else expressions.check({ path: at, text, types: [type], visible });
  }
  if (given[other] !== undefined) {
    errors.push(field.invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`));
  }
}

type Binding = admission.ValidatingAdmissionPolicyBinding | admission.MutatingAdmissionPolicyBinding;

function bindingHead(errors: Errors, { metadata = {}, spec = {} }: Binding): void {
  genericObjectMeta(errors, metadata, false, isDns1123Subdomain, META);
  const { policyName = "", paramRef: ref, matchResources: match } = spec;
  if (policyName === "") errors.push(field.required(SPEC.child("policyName"), ""));
  else name(errors, policyName, SPEC.child("policyName"), isDns1123Subdomain);
  paramRef(errors, ref, SPEC.child("paramRef"));
  matchResources(errors, match, SPEC.child("matchResources"));
}

function paramRef(errors: Errors, ref: admission.ParamRef | undefined, path: Path): void {
  if (ref === undefined) return;
  const { name: paramName = "", selector, parameterNotFoundAction = "" } = ref;
  const both = "name and selector are mutually exclusive";
  if (paramName !== "") {
    name(errors, paramName, path.child("name"), isPathSegmentName);
    if (selector) errors.push(field.forbidden(path.child("name"), both));
  }
  if (selector) {
    labelSelector(errors, selector, path.child("selector"));
    if (paramName !== "") errors.push(field.forbidden(path.child("selector"), both));
  }
  if (paramName === "" && !selector) errors.push(field.required(path, "one of name or selector must be specified"));
  const at = path.child("parameterNotFoundAction");
  if (parameterNotFoundAction === "") errors.push(field.required(at, ""));
  else oneOf(errors, parameterNotFoundAction, at, ["Deny", "Allow"]);
}

export function validateValidatingBinding(binding: admission.ValidatingAdmissionPolicyBinding): Errors {
  const errors: Errors = [];
  bindingHead(errors, binding);
  const { validationActions = [] } = binding.spec ?? {};
  const path = SPEC.child("validationActions");
  const seen = new Set<string>();
  validationActions.forEach((action, i) => {
    oneOf(errors, action, path.index(i), ACTIONS);
    if (seen.has(action)) errors.push(field.duplicate(path.index(i), action));
    seen.add(action);
  });
  if (seen.has("Deny") && seen.has("Warn")) {
    const reason =
      "repeating the same validation failure information in the API response and headers serves no purpose";
    errors.push(field.invalid(path, validationActions, `must not contain both Deny and Warn (${reason})`));
  }
  if (seen.size === 0) errors.push(field.required(path, "at least one validation action is required"));
  return errors;
}

export function validateMutatingBinding(binding: admission.MutatingAdmissionPolicyBinding): Errors {
  const errors: Errors = [];
  bindingHead(errors, binding);
  const { matchResources: match } = binding.spec ?? {};
  if (match) mutatedOperations(errors, match, SPEC.child("matchResources"));
  return errors;
}
