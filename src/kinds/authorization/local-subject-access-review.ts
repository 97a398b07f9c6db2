// LocalSubjectAccessReviews, limited to one namespace. Never stored.
// Upstream: pkg/registry/authorization/localsubjectaccessreview

import type { Kind } from "#kinds/kind.ts";
import { neverStored } from "#kinds/strategy.ts";
import { subjectReviewHooks } from "./subject-access-review.ts";

export const localSubjectAccessReview: Kind = {
  key: "localsubjectaccessreviews.authorization.k8s.io",
  strategy: neverStored,
  hooks: subjectReviewHooks(true),
};
