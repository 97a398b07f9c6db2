// Bindings: posted, never stored. The pod that a binding names is bound to its node.

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const binding: SchemaOnlyKind = { key: "bindings", strategy: schemaOnly() };
