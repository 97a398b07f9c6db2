// Runtime classes. Upstream: pkg/registry/node/runtimeclass/strategy.go

import type * as node from "#api/generated/types/node-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const runtimeClass: SchemaOnlyKind<node.RuntimeClass> = {
  key: "runtimeclasses.node.k8s.io",
  strategy: schemaOnly({ allowCreateOnUpdate: true, allowUnconditionalUpdate: false }),
  printer: printer<node.RuntimeClass>("Name|Handler|Age", (object, now) => [
    nameOf(object),
    object.handler ?? "",
    ageOf(object, now),
  ]),
};
