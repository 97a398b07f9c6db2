// SubjectAccessReviews, about any user. Never stored.
// Upstream: pkg/registry/authorization/{subjectaccessreview,localsubjectaccessreview}

import type { KindHooks, KindServer } from "#kinds/hooks.ts";
import type { Kind } from "#kinds/kind.ts";
import { neverStored } from "#kinds/strategy.ts";
import { refuse, specOf, withDecision } from "./access-decision.ts";
import { validateAccess, validateEmptyMeta, validateLocal, validateSelectors, validateSubject } from "./access-spec.ts";

/** A local review is limited to its own namespace. */
export const subjectReviewHooks =
  (isLocal: boolean) =>
  (server: KindServer): KindHooks => ({
    answered: {
      tracksFields: true,
      async answer(call, review, signal) {
        const spec = specOf(review);
        refuse([
          ...validateAccess(spec),
          ...validateSubject(spec),
          ...validateSelectors(spec),
          ...validateEmptyMeta(review, isLocal),
          ...(isLocal ? validateLocal(spec, call.namespace) : []),
        ]);
        const { user: name = "", groups, uid, extra } = spec;
        const user = { name, ...(groups && { groups }), ...(uid && { uid }), ...(extra && { extra }) };
        return withDecision(server, review, user, signal);
      },
    },
  });

export const subjectAccessReview: Kind = {
  key: "subjectaccessreviews.authorization.k8s.io",
  strategy: neverStored,
  hooks: subjectReviewHooks(false),
};
