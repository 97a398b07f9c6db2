// CSI storage capacities. Upstream: pkg/registry/storage/csistoragecapacity/strategy.go, which has a printer and does
// not use it.

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const csiStorageCapacity: SchemaOnlyKind = {
  key: "csistoragecapacities.storage.k8s.io",
  strategy: schemaOnly({ allowUnconditionalUpdate: false }),
};
