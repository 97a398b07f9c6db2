// Validation of roles and bindings. Upstream: pkg/apis/rbac/validation/validation.go

import { ValueError } from "#api/errors.ts";
import * as field from "#api/field-error.ts";
import type * as rbac from "#api/generated/types/rbac-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import type { LabelSelector } from "#api/meta.ts";
import { isDns1123Subdomain, isPathSegmentName } from "#api/names.ts";
import type { KubeObject } from "#api/object.ts";
import {
  type Errors,
  hasLabelSelectorErrors,
  labelSelector,
  name,
  oneOf,
  type Path,
  requiredName,
} from "#kinds/parts/checks.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";

export const RBAC_GROUP = "rbac.authorization.k8s.io";

const METADATA = field.newPath("metadata");
const RULES = field.newPath("rules");
const SELECTORS = field.newPath("aggregationRule", "clusterRoleSelectors");
const ROLE_REF = field.newPath("roleRef");
const SUBJECTS = field.newPath("subjects");

function metadataErrors(errors: Errors, object: KubeObject, isNamespaced: boolean): void {
  objectMeta(errors, object.metadata ?? {}, isNamespaced, isPathSegmentName, METADATA);
}

/** Validates an update: the whole object, and its metadata against the old. */
export function updateErrors<T extends KubeObject>(
  object: T,
  old: T,
  validate: (object: T) => field.FieldError[],
): field.FieldError[] {
  const errors = validate(object);
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  return errors;
}

export function validateRole(role: rbac.Role): field.FieldError[] {
  const errors: Errors = [];
  metadataErrors(errors, role, true);
  policyRules(errors, role.rules, true);
  return errors;
}

export function validateClusterRole(role: rbac.ClusterRole, allowInvalidValues = false): field.FieldError[] {
  const errors: Errors = [];
  metadataErrors(errors, role, false);
  policyRules(errors, role.rules, false);
  if (role.aggregationRule === undefined) return errors;
  const { clusterRoleSelectors = [] } = role.aggregationRule;
  if (clusterRoleSelectors.length === 0) {
    const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    errors.push(field.required(SELECTORS, detail));
  }
  clusterRoleSelectors.forEach((selector, i) => {
    const path = SELECTORS.index(i);
    labelSelector(errors, selector, path, allowInvalidValues);
    if (!isReadable(selector)) errors.push(field.invalid(path, null, "invalid label selector."));
  });
  return errors;
}

export function hasInvalidSelector({ aggregationRule }: rbac.ClusterRole): boolean {
  return (aggregationRule?.clusterRoleSelectors ?? []).some(hasLabelSelectorErrors);
}

function isReadable(selector: LabelSelector): boolean {
  try {
    selectorFromObject(selector);
    return true;
  } catch (error) {
    if (error instanceof ValueError) return false;
    throw error;
  }
}

function policyRules(errors: Errors, rules: readonly rbac.PolicyRule[] | undefined, isNamespaced: boolean): void {
  (rules ?? []).forEach((rule, i) => {
    policyRule(errors, rule, RULES.index(i), isNamespaced);
  });
}

function policyRule(errors: Errors, rule: Partial<rbac.PolicyRule>, path: Path, isNamespaced: boolean): void {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const isEmpty = (list: readonly string[] | null | undefined): boolean => (list ?? []).length === 0;
  if (isEmpty(verbs)) errors.push(field.required(path.child("verbs"), "verbs must contain at least one value"));
  if (!isEmpty(nonResourceURLs)) {
    const urls = path.child("nonResourceURLs");
    if (isNamespaced) {
      errors.push(field.invalid(urls, nonResourceURLs, "namespaced rules cannot apply to non-resource URLs"));
    }
    if (!isEmpty(apiGroups) || !isEmpty(resources) || !isEmpty(resourceNames)) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(field.invalid(urls, nonResourceURLs, detail));
    }
    return;
  }
  if (isEmpty(apiGroups)) {
    errors.push(field.required(path.child("apiGroups"), "resource rules must supply at least one api group"));
  }
  if (isEmpty(resources)) {
    errors.push(field.required(path.child("resources"), "resource rules must supply at least one resource"));
  }
}

type Binding = rbac.RoleBinding | rbac.ClusterRoleBinding;

export const validateRoleBinding = (binding: rbac.RoleBinding): field.FieldError[] => validateBinding(binding, true);

export const validateClusterRoleBinding = (binding: rbac.ClusterRoleBinding): field.FieldError[] =>
  validateBinding(binding, false);

function validateBinding(binding: Binding, isNamespaced: boolean): field.FieldError[] {
  const errors: Errors = [];
  metadataErrors(errors, binding, isNamespaced);
  const { apiGroup, kind, name: role } = roleOf(binding);
  oneOf(errors, apiGroup, ROLE_REF.child("apiGroup"), [RBAC_GROUP]);
  oneOf(errors, kind, ROLE_REF.child("kind"), isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"]);
  requiredName(errors, role, ROLE_REF.child("name"), isPathSegmentName);
  (binding.subjects ?? []).forEach((subject, i) => {
    validateSubject(errors, subject, SUBJECTS.index(i), isNamespaced);
  });
  return errors;
}

function roleOf({ roleRef }: Binding): { readonly apiGroup: string; readonly kind: string; readonly name: string } {
  const { apiGroup = "", kind = "", name: role = "" } = (roleRef ?? {}) as Partial<rbac.RoleRef>;
  return { apiGroup, kind, name: role };
}

/** The role of a binding is immutable. */
export function roleChange(binding: Binding, old: Binding): field.FieldError[] {
  const [role, oldRole] = [roleOf(binding), roleOf(old)];
  if (role.apiGroup === oldRole.apiGroup && role.kind === oldRole.kind && role.name === oldRole.name) return [];
  const value = { APIGroup: role.apiGroup, Kind: role.kind, Name: role.name };
  return [field.invalid(ROLE_REF, value, "cannot change roleRef")];
}

function validateSubject(errors: Errors, subject: Partial<rbac.Subject>, path: Path, isNamespaced: boolean): void {
  const { kind = "", name: named = "", apiGroup = "", namespace = "" } = subject;
  if (named === "") errors.push(field.required(path.child("name"), ""));
  switch (kind) {
    case "ServiceAccount":
      if (named !== "") name(errors, named, path.child("name"), isDns1123Subdomain);
      if (apiGroup !== "") errors.push(field.notSupported(path.child("apiGroup"), apiGroup, [""]));
      if (!isNamespaced && namespace === "") errors.push(field.required(path.child("namespace"), ""));
      return;
    case "User":
    case "Group":
      oneOf(errors, apiGroup, path.child("apiGroup"), [RBAC_GROUP]);
      return;
    default:
      oneOf(errors, kind, path.child("kind"), ["ServiceAccount", "User", "Group"]);
  }
}
