// SelfSubjectReviews, which return the requesting user. Never stored.
// Upstream: pkg/registry/authentication/selfsubjectreview

import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { formatTime } from "#api/time.ts";
import type { Kind } from "#kinds/kind.ts";
import { neverStored } from "#kinds/strategy.ts";
import { userFields } from "./user-fields.ts";

export const selfSubjectReview: Kind = {
  key: "selfsubjectreviews.authentication.k8s.io",
  strategy: neverStored,
  hooks: () => ({
    answered: {
      answer: async ({ user, now }, review) =>
        ({
          ...withMeta(review, { creationTimestamp: formatTime(now), managedFields: undefined }),
          status: { userInfo: userFields(user) },
        }) as KubeObject,
    },
  }),
};
