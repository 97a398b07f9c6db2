// Validation of flow schemas. Upstream: pkg/apis/flowcontrol/validation, ValidateFlowSchema

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as flow from "#api/generated/types/flowcontrol-v1.ts";
import { isDns1123Label, isDns1123Subdomain } from "#api/names.ts";
import { type Errors, name, type Path, requiredName } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta } from "#kinds/parts/metadata.ts";
import { flowConditions } from "./flow-parts.ts";
import { MANDATORY_FLOW_SCHEMAS } from "./mandatory.ts";

const SPEC = field.newPath("spec");
const PRECEDENCE_MAX = 10_000;
const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];
const METHODS = ["ByNamespace", "ByUser"];
const SUBJECT_KINDS = ["Group", "ServiceAccount", "User"];

export function validateFlowSchema({ metadata = {}, spec, status }: flow.FlowSchema): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, metadata, false, isDns1123Subdomain, field.newPath("metadata"));
  const given: Partial<flow.FlowSchemaSpec> = spec ?? {};
  flowSchemaSpec(errors, metadata.name ?? "", given);
  const fixed = MANDATORY_FLOW_SCHEMAS[metadata.name ?? ""];
  if (fixed !== undefined && !semanticEqual(given, fixed)) {
    const detail = `spec of '${metadata.name}' must equal the fixed value`;
    errors.push(field.invalid(SPEC, internalForm("FlowSchemaSpec", given), detail));
  }
  flowConditions(errors, status);
  return errors;
}

function flowSchemaSpec(errors: Errors, schemaName: string, spec: Partial<flow.FlowSchemaSpec>): void {
  const { matchingPrecedence = 0, distinguisherMethod: method, rules = [] } = spec;
  const precedence = (detail: string): void => {
    errors.push(field.invalid(SPEC.child("matchingPrecedence"), matchingPrecedence, detail));
  };
  if (matchingPrecedence <= 0) precedence("must be a positive value");
  if (matchingPrecedence > PRECEDENCE_MAX) precedence(`must not be greater than ${PRECEDENCE_MAX}`);
  if (matchingPrecedence === 1 && schemaName !== "exempt") {
    precedence("only the schema named 'exempt' may have matchingPrecedence 1");
  }
  if (method && !METHODS.includes(method.type)) {
    const shown = internalForm("FlowDistinguisherMethod", method);
    errors.push(field.notSupported(SPEC.child("distinguisherMethod", "type"), shown, METHODS));
  }
  const level = spec.priorityLevelConfiguration?.name ?? "";
  const levelPath = SPEC.child("priorityLevelConfiguration", "name");
  if (level === "") errors.push(field.required(levelPath, "must reference a priority level"));
  else name(errors, level, levelPath, isDns1123Subdomain);
  rules.forEach((rule, i) => {
    policyRules(errors, rule, SPEC.child("rules").index(i));
  });
}

function policyRules(errors: Errors, rule: Partial<flow.PolicyRulesWithSubjects>, path: Path): void {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  if (subjects.length === 0) {
    errors.push(field.required(path.child("subjects"), "subjects must contain at least one value"));
  }
  subjects.forEach((one, i) => {
    subject(errors, one, path.child("subjects").index(i));
  });
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    const detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
    errors.push(field.required(path, detail));
  }
  resourceRules.forEach((one, i) => {
    resourceRule(errors, one, path.child("resourceRules").index(i));
  });
  nonResourceRules.forEach((one, i) => {
    nonResourceRule(errors, one, path.child("nonResourceRules").index(i));
  });
}

/** In the order in which upstream refuses fields of another kind. */
const SUBJECT_PARTS = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function subject(errors: Errors, one: Partial<flow.Subject>, path: Path): void {
  const { kind = "" } = one;
  if (!SUBJECT_KINDS.includes(kind)) {
    errors.push(field.notSupported(path.child("kind"), kind, SUBJECT_KINDS));
    return;
  }
  const part = SUBJECT_PARTS[kind as keyof typeof SUBJECT_PARTS];
  if (one[part] === undefined) {
    errors.push(field.required(path.child(part), `${part} is required when subject kind is '${kind}'`));
  } else if (part === "serviceAccount") accountSubject(errors, one.serviceAccount ?? {}, path.child(part));
  else requiredName(errors, one[part]?.name, path.child(part, "name"));
  for (const [otherKind, other] of Object.entries(SUBJECT_PARTS)) {
    if (other === part || one[other] === undefined) continue;
    const detail = `${other} is forbidden when subject kind is not '${otherKind}'`;
    errors.push(field.forbidden(path.child(other), detail));
  }
}

function accountSubject(errors: Errors, one: Partial<flow.ServiceAccountSubject>, path: Path): void {
  if (one.name !== "*") requiredName(errors, one.name, path.child("name"), isDns1123Subdomain);
  if (one.namespace) name(errors, one.namespace, path.child("namespace"), isDns1123Label);
  else errors.push(field.required(path.child("namespace"), "must specify namespace for service account"));
}

const isAny = (list: readonly string[]): boolean => list.includes("*");

/** "*" must be the only item. True if it is in the list. */
function aloneIfAny(errors: Errors, list: readonly string[], path: Path, noun: string): boolean {
  if (!isAny(list)) return false;
  if (list.length > 1) errors.push(field.invalid(path, list, `if '*' is present, must not specify other ${noun}`));
  return true;
}

function verbs(errors: Errors, list: readonly string[], path: Path): void {
  if (list.length === 0) errors.push(field.required(path, "verbs must contain at least one value"));
  else if (!aloneIfAny(errors, list, path, "verbs") && list.some((verb) => !VERBS.includes(verb))) {
    errors.push(field.notSupported(path, list, VERBS));
  }
}

function resourceRule(errors: Errors, rule: Partial<flow.ResourcePolicyRule>, path: Path): void {
  const namespaces = rule.namespaces ?? [];
  verbs(errors, rule.verbs ?? [], path.child("verbs"));
  const some = (list: readonly string[], part: string, noun: string): void => {
    const at = path.child(part);
    if (list.length === 0) errors.push(field.required(at, `resource rules must supply at least one ${noun}`));
    else aloneIfAny(errors, list, at, `${noun}s`);
  };
  some(rule.apiGroups ?? [], "apiGroups", "api group");
  some(rule.resources ?? [], "resources", "resource");
  const at = path.child("namespaces");
  if (namespaces.length === 0 && !rule.clusterScope) {
    const detail = "resource rules that are not cluster scoped must supply at least one namespace";
    errors.push(field.required(at, detail));
  } else if (!aloneIfAny(errors, namespaces, at, "namespaces")) {
    namespaces.forEach((namespace, i) => {
      for (const message of isDns1123Label(namespace)) {
        const detail = `each member of this list must be '*' or a DNS-1123 label; ${message}`;
        errors.push(field.invalid(at.index(i), namespace, detail));
      }
    });
  }
}

function nonResourceRule(errors: Errors, rule: Partial<flow.NonResourcePolicyRule>, path: Path): void {
  const urls = rule.nonResourceURLs ?? [];
  const at = path.child("nonResourceURLs");
  verbs(errors, rule.verbs ?? [], path.child("verbs"));
  if (urls.length === 0) errors.push(field.required(at, "nonResourceURLs must contain at least one value"));
  else if (!aloneIfAny(errors, urls, at, "non-resource URLs")) {
    urls.forEach((url, i) => {
      const detail = urlProblem(url);
      if (detail !== undefined) errors.push(field.invalid(at.index(i), url, detail));
    });
  }
}

function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  return /^[^*]*(\/\*)?$/.test(url) ? undefined : "wildcard can only do suffix matching";
}
