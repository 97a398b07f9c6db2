// Self subject access reviews: answered, never stored. Upstream: pkg/registry/authorization/selfsubjectaccessreview

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const selfSubjectAccessReview: SchemaOnlyKind = {
  key: "selfsubjectaccessreviews.authorization.k8s.io",
  strategy: schemaOnly(),
};
