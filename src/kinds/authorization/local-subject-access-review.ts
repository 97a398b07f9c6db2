// Local subject access reviews: answered, never stored. Upstream: pkg/registry/authorization/localsubjectaccessreview

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const localSubjectAccessReview: SchemaOnlyKind = {
  key: "localsubjectaccessreviews.authorization.k8s.io",
  strategy: schemaOnly(),
};
