// Role bindings. Upstream: pkg/registry/rbac/rolebinding/strategy.go

import type * as rbac from "#api/generated/types/rbac-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { bindingHooks } from "./escalation.ts";
import { roleChange, updateErrors, validateRoleBinding } from "./rbac-validation.ts";
import { bindingDefaults, bindingPrinter } from "./role-parts.ts";

const strategy = kindStrategy<rbac.RoleBinding>({
  allowCreateOnUpdate: true,
  validate: validateRoleBinding,
  validateUpdate: (binding, old) => [...updateErrors(binding, old, validateRoleBinding), ...roleChange(binding, old)],
});

export const roleBinding: Kind<rbac.RoleBinding> = {
  key: "rolebindings.rbac.authorization.k8s.io",
  strategy,
  defaults: bindingDefaults,
  printer: bindingPrinter,
  hooks: bindingHooks,
};
