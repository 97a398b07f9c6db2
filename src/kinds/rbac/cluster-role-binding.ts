// Cluster role bindings. Upstream: pkg/registry/rbac/clusterrolebinding/strategy.go

import type * as rbac from "#api/generated/types/rbac-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { bindingHooks } from "./escalation.ts";
import { roleChange, updateErrors, validateClusterRoleBinding } from "./rbac-validation.ts";
import { bindingDefaults, bindingPrinter } from "./role-parts.ts";

const strategy = kindStrategy<rbac.ClusterRoleBinding>({
  allowCreateOnUpdate: true,
  validate: validateClusterRoleBinding,
  validateUpdate: (binding, old) => [
    ...updateErrors(binding, old, validateClusterRoleBinding),
    ...roleChange(binding, old),
  ],
});

export const clusterRoleBinding: Kind<rbac.ClusterRoleBinding> = {
  key: "clusterrolebindings.rbac.authorization.k8s.io",
  strategy,
  defaults: bindingDefaults,
  printer: bindingPrinter,
  hooks: bindingHooks,
};
