// Role bindings. Upstream: pkg/registry/rbac/rolebinding/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { bindingDefaults, bindingPrinter, roleStrategy } from "./role-parts.ts";

export const roleBinding: SchemaOnlyKind = {
  key: "rolebindings.rbac.authorization.k8s.io",
  strategy: roleStrategy,
  defaults: bindingDefaults,
  printer: bindingPrinter,
};
