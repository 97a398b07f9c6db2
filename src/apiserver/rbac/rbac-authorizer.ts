// The authorizer of roles and bindings, behind the one rule that needs none: system:masters may do everything.
// Upstream: plugin/pkg/auth/authorizer/rbac/rbac.go; k8s.io/apiserver/pkg/authorization/union

import { aggregateText } from "#base/errors.ts";
import { ruleAllows } from "#kinds/rbac/policy-rules.ts";
import type { Authorizer, Decision } from "../authorization.ts";
import { describeBinding } from "./bound-roles.ts";
import type { RoleRules } from "./role-rules.ts";

const MASTERS = "system:masters";

const ALLOWED: Decision = { isAllowed: true };

export function rbacAuthorizer(roleRules: () => RoleRules): Authorizer {
  return {
    authorize({ user, info }) {
      if (user.groups?.includes(MASTERS)) return ALLOWED;
      const problems: string[] = [];
      const namespace = info.isResourceRequest ? info.namespace : "";
      for (const applied of roleRules().of(user, namespace)) {
        if (applied.rule === undefined) problems.push(applied.problem);
        else if (ruleAllows(applied.rule, info)) {
          const { binding } = applied;
          return { isAllowed: true, grantedBy: () => `RBAC: allowed by ${describeBinding(binding, user)}` };
        }
      }
      return { isAllowed: false, reason: problems.length === 0 ? "" : `RBAC: ${aggregateText(problems)}` };
    },
    rulesFor(user, namespace) {
      const resourceRules: unknown[] = [];
      const nonResourceRules: unknown[] = [];
      const problems: string[] = [];
      for (const applied of roleRules().of(user, namespace)) {
        if (applied.rule === undefined) {
          problems.push(applied.problem);
          continue;
        }
        const { verbs, apiGroups, resources = [], resourceNames, nonResourceURLs = [] } = applied.rule;
        if (resources.length > 0) {
          resourceRules.push({ verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) });
        }
        if (nonResourceURLs.length > 0) nonResourceRules.push({ verbs, nonResourceURLs });
      }
      const evaluationError = problems.length === 0 ? {} : { evaluationError: aggregateText(problems) };
      return { resourceRules, nonResourceRules, incomplete: false, ...evaluationError };
    },
  };
}
