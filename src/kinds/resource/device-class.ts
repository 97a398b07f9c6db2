// Device classes. Upstream: pkg/registry/resource/deviceclass/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { nameAndAge } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const deviceClass: SchemaOnlyKind = {
  key: "deviceclasses.resource.k8s.io",
  strategy: schemaOnly({ countsGeneration: true }),
  printer: nameAndAge,
  returnsDeletedObject: true,
};
