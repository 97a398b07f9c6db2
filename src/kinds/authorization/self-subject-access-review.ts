// SelfSubjectAccessReviews, about the requesting user. Never stored.
// Upstream: pkg/registry/authorization/selfsubjectaccessreview

import type { Kind } from "#kinds/kind.ts";
import { neverStored } from "#kinds/strategy.ts";
import { refuse, specOf, withDecision } from "./access-decision.ts";
import { validateAccess, validateEmptyMeta, validateSelectors } from "./access-spec.ts";

export const selfSubjectAccessReview: Kind = {
  key: "selfsubjectaccessreviews.authorization.k8s.io",
  strategy: neverStored,
  hooks: (server) => ({
    answered: {
      tracksFields: true,
      async answer(call, review, signal) {
        const spec = specOf(review);
        refuse([...validateAccess(spec), ...validateSelectors(spec), ...validateEmptyMeta(review, false)]);
        return withDecision(server, review, call.user, signal);
      },
    },
  }),
};
