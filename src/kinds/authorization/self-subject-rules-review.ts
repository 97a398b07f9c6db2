// SelfSubjectRulesReviews: the rules for the requesting user in a namespace. Never stored.
// Upstream: pkg/registry/authorization/selfsubjectrulesreview

import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { newBadRequest } from "#api/status-error.ts";
import type { Kind } from "#kinds/kind.ts";
import { neverStored } from "#kinds/strategy.ts";

const UNKNOWN = { resourceRules: [], nonResourceRules: [], incomplete: true };

export const selfSubjectRulesReview: Kind = {
  key: "selfsubjectrulesreviews.authorization.k8s.io",
  strategy: neverStored,
  hooks: (server) => ({
    answered: {
      async answer(call, review) {
        const { namespace = "" } = (review as { spec?: { namespace?: string } }).spec ?? {};
        if (namespace === "") throw newBadRequest("no namespace on request");
        const status = server.rulesFor(call.user, namespace) ?? UNKNOWN;
        return { ...withMeta(review, { managedFields: undefined }), spec: {}, status } as KubeObject;
      },
    },
  }),
};
