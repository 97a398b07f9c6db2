// Shared by access reviews: the error for an invalid review, and the authorizer's decision as its status.
// Upstream: pkg/registry/authorization

import type * as field from "#api/field-error.ts";
import type { KubeObject } from "#api/object.ts";
import { newInvalid } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { KindServer } from "#kinds/hooks.ts";
import { type AccessSpec, evaluationError, questionOf } from "./access-spec.ts";

export const specOf = (review: KubeObject): AccessSpec => (review as { spec?: AccessSpec }).spec ?? {};

export function refuse(errors: readonly field.FieldError[]): void {
  if (errors.length > 0) throw newInvalid({ group: "authorization.k8s.io", kind: "" }, "", errors);
}

export async function withDecision(
  server: KindServer,
  review: KubeObject,
  user: UserInfo,
  signal: AbortSignal,
): Promise<KubeObject> {
  const spec = specOf(review);
  const decision = await server.authorize(user, questionOf(spec), signal);
  const reason = decision.isAllowed ? (decision.grantedBy?.() ?? "") : decision.reason;
  const problem = evaluationError(spec);
  const status = {
    allowed: decision.isAllowed,
    ...(reason === "" ? {} : { reason }),
    ...(problem === "" ? {} : { evaluationError: problem }),
  };
  return { ...review, status } as KubeObject;
}
