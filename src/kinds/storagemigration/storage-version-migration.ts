// Storage version migrations. Upstream: pkg/registry/storagemigration/storagemigration/strategy.go

import type * as migration from "#api/generated/types/storagemigration-v1beta1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const storageVersionMigration: SchemaOnlyKind<migration.StorageVersionMigration> = {
  key: "storageversionmigrations.storagemigration.k8s.io",
  strategy: schemaOnly({ allowUnconditionalUpdate: false }),
  printer: printer<migration.StorageVersionMigration>("Name!|Resource|Status", (object) => {
    const { resource = "", group } = object.spec?.resource ?? {};
    const done = object.status?.conditions?.findLast(
      ({ type, status }) => status === "True" && ["Running", "Failed", "Succeeded"].includes(type),
    );
    return [nameOf(object), group ? `${resource}.${group}` : resource, done?.type ?? "Unknown"];
  }),
};
