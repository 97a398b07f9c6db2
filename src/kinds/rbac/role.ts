// Roles. Upstream: pkg/registry/rbac/role/strategy.go

import type * as rbac from "#api/generated/types/rbac-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { roleHooks } from "./escalation.ts";
import { updateErrors, validateRole } from "./rbac-validation.ts";

const strategy = kindStrategy<rbac.Role>({
  allowCreateOnUpdate: true,
  validate: validateRole,
  validateUpdate: (role, old) => updateErrors(role, old, validateRole),
});

export const role: Kind<rbac.Role> = { key: "roles.rbac.authorization.k8s.io", strategy, hooks: roleHooks };
