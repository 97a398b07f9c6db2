// Self subject rules reviews: answered, never stored. Upstream: pkg/registry/authorization/selfsubjectrulesreview

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const selfSubjectRulesReview: SchemaOnlyKind = {
  key: "selfsubjectrulesreviews.authorization.k8s.io",
  strategy: schemaOnly(),
};
