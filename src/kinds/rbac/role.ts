// Roles. Upstream: pkg/registry/rbac/role/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { roleStrategy } from "./role-parts.ts";

export const role: SchemaOnlyKind = { key: "roles.rbac.authorization.k8s.io", strategy: roleStrategy };
