// The RBAC authorizer, after the rule that needs no roles: system:masters may do everything.
// Upstream: plugin/pkg/auth/authorizer/rbac/rbac.go; k8s.io/apiserver/pkg/authorization/union

import { goQuote } from "#api/go-text.ts";
import { aggregateText } from "#base/errors.ts";
import { ruleAllows } from "#kinds/rbac/policy-rules.ts";
import type { Authorizer, Decision } from "../authorization.ts";
import { type Binding, describeBinding } from "./bound-roles.ts";
import type { RoleRules } from "./role-rules.ts";

const MASTERS = "system:masters";

const ALLOWED: Decision = { isAllowed: true };

export function rbacAuthorizer(roleRules: () => RoleRules): Authorizer {
  return {
    authorize({ user, info }) {
      if (user.groups?.includes(MASTERS)) return ALLOWED;
      const missing: Binding[] = [];
      const namespace = info.isResourceRequest ? info.namespace : "";
      for (const { rule, binding } of roleRules().of(user, namespace)) {
        if (rule === undefined) missing.push(binding);
        else if (ruleAllows(rule, info)) {
          return { isAllowed: true, grantedBy: () => `RBAC: allowed by ${describeBinding(binding, user)}` };
        }
      }
      return { isAllowed: false, reason: missing.length === 0 ? "" : `RBAC: ${notFound(missing)}` };
    },
    rulesFor(user, namespace) {
      const resourceRules: unknown[] = [];
      const nonResourceRules: unknown[] = [];
      const missing: Binding[] = [];
      for (const { rule, binding } of roleRules().of(user, namespace)) {
        if (rule === undefined) {
          missing.push(binding);
          continue;
        }
        const { verbs, apiGroups, resources = [], resourceNames, nonResourceURLs = [] } = rule;
        if (resources.length > 0) {
          resourceRules.push({ verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) });
        }
        if (nonResourceURLs.length > 0) nonResourceRules.push({ verbs, nonResourceURLs });
      }
      const evaluationError = missing.length === 0 ? {} : { evaluationError: notFound(missing) };
      return { resourceRules, nonResourceRules, incomplete: false, ...evaluationError };
    },
  };
}

/** In the words of upstream's caches, which use kinds where its store uses resources. */
function notFound(bindings: readonly Binding[]): string {
  return aggregateText(
    bindings.map(
      ({ roleRef: { kind, name } }) => `${kind.toLowerCase()}.rbac.authorization.k8s.io ${goQuote(name)} not found`,
    ),
  );
}
