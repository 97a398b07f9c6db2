// Self subject reviews: answered, never stored. Upstream: pkg/registry/authentication/selfsubjectreview

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const selfSubjectReview: SchemaOnlyKind = {
  key: "selfsubjectreviews.authentication.k8s.io",
  strategy: schemaOnly(),
};
