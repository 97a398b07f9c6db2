// Subject access reviews: answered, never stored. Upstream: pkg/registry/authorization/subjectaccessreview

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const subjectAccessReview: SchemaOnlyKind = {
  key: "subjectaccessreviews.authorization.k8s.io",
  strategy: schemaOnly(),
};
