// Cluster roles. Upstream: pkg/registry/rbac/clusterrole/strategy.go

import type * as rbac from "#api/generated/types/rbac-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { roleHooks } from "./escalation.ts";
import { hasInvalidSelector, updateErrors, validateClusterRole } from "./rbac-validation.ts";

const strategy = kindStrategy<rbac.ClusterRole>({
  allowCreateOnUpdate: true,
  validate: (role) => validateClusterRole(role),
  validateUpdate: (role, old) => updateErrors(role, old, (role) => validateClusterRole(role, hasInvalidSelector(old))),
});

export const clusterRole: Kind<rbac.ClusterRole> = {
  key: "clusterroles.rbac.authorization.k8s.io",
  strategy,
  hooks: roleHooks,
};
