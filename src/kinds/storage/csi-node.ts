// CSI nodes. Upstream: pkg/registry/storage/csinode/strategy.go

import type * as storage from "#api/generated/types/storage-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const csiNode: SchemaOnlyKind<storage.CSINode> = {
  key: "csinodes.storage.k8s.io",
  strategy: schemaOnly({ allowUnconditionalUpdate: false }),
  printer: printer<storage.CSINode>("Name|Drivers:integer|Age", (object, now) => [
    nameOf(object),
    (object.spec?.drivers ?? []).length,
    ageOf(object, now),
  ]),
  returnsDeletedObject: true,
};
