// Workloads. Upstream: pkg/registry/scheduling/workload/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { nameAndAge } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const workload: SchemaOnlyKind = {
  key: "workloads.scheduling.k8s.io",
  strategy: schemaOnly(),
  printer: nameAndAge,
};
