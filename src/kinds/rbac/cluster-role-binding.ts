// Cluster role bindings. Upstream: pkg/registry/rbac/clusterrolebinding/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { bindingDefaults, bindingPrinter, roleStrategy } from "./role-parts.ts";

export const clusterRoleBinding: SchemaOnlyKind = {
  key: "clusterrolebindings.rbac.authorization.k8s.io",
  strategy: roleStrategy,
  defaults: bindingDefaults,
  printer: bindingPrinter,
};
