// Token reviews: answered, never stored. Upstream: pkg/registry/authentication/tokenreview

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const tokenReview: SchemaOnlyKind = { key: "tokenreviews.authentication.k8s.io", strategy: schemaOnly() };
