// Cluster roles. Upstream: pkg/registry/rbac/clusterrole/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { roleStrategy } from "./role-parts.ts";

export const clusterRole: SchemaOnlyKind = { key: "clusterroles.rbac.authorization.k8s.io", strategy: roleStrategy };
