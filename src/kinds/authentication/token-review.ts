// TokenReviews, which authenticate bearer tokens. Never stored. Upstream: pkg/registry/authentication/tokenreview

import * as field from "#api/field-error.ts";
import type { TokenReview } from "#api/generated/types/authentication-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { newBadRequest } from "#api/status-error.ts";
import type { Kind } from "#kinds/kind.ts";
import { neverStored } from "#kinds/strategy.ts";
import { userFields } from "./user-fields.ts";

export const tokenReview: Kind = {
  key: "tokenreviews.authentication.k8s.io",
  strategy: neverStored,
  hooks: (server) => ({
    answered: {
      tracksFields: true,
      async answer(call, review, signal) {
        const { token = "", audiences = [] } = (review as TokenReview).spec ?? {};
        if (token === "") throw newBadRequest("token is required for TokenReview in authentication");
        const answer = await server.authenticateToken(token, audiences, call, signal);
        if (!("user" in answer)) {
          const error = field.aggregateText(["invalid bearer token", ...answer.problems]);
          return { ...review, status: { user: {}, error } } as KubeObject;
        }
        const status = { authenticated: true, user: userFields(answer.user), audiences: answer.audiences };
        return { ...review, status } as KubeObject;
      },
    },
  }),
};
