// Questions to the server about users and rights: answered, not stored.
// Upstream: pkg/registry/authentication and pkg/registry/authorization

import * as field from "#api/field-error.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { newBadRequest, newInvalid } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { UserInfo } from "#api/user-info.ts";
import { admissionAttributes, type ResourceCall, type ServerCore } from "../core.ts";
import { decodeObject } from "../decoding/decode-object.ts";
import { readBody } from "../decoding/request-body.ts";
import { withGroupOfAuthenticated } from "../filters/authenticate.ts";
import { managerOf, recordUpdate } from "../managed-fields.ts";
import { postedRules } from "../negotiation-rules.ts";
import { respondWithObject } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { addWarning } from "../request-context.ts";
import { isAuthenticated } from "../tokens/token-authentication.ts";
import { wipeSystemFields } from "../write/before-create.ts";
import { matchNamespace } from "../write/namespace-match.ts";
import { parseWriteOptions } from "../write-options.ts";
import {
  type AccessSpec,
  evaluationError,
  infoOf,
  validateAccess,
  validateEmptyMeta,
  validateLocal,
  validateSelectors,
  validateSubject,
} from "./access-questions.ts";
import type { SubresourceHandler } from "./subresource.ts";

type Answer = (core: ServerCore, call: ResourceCall, review: KubeObject, signal: AbortSignal) => Promise<KubeObject>;

/** Reads the review, lets admission see it, and answers with it and its status. */
function reviewed(answer: Answer, tracksFields = true): SubresourceHandler {
  return async (core, call, signal) => {
    const { context, endpoint } = call;
    const representation = negotiate(context, postedRules(call));
    const body = await readBody(context.request, core.limits.bodyBytesMax);
    const options = parseWriteOptions(context.query, "CreateOptions");
    let review = wipeSystemFields(decodeObject(call, body, options.fieldValidation, endpoint.version));
    review = matchNamespace(review, endpoint.row.namespaced ? call.namespace : "");
    if (tracksFields) review = recordUpdate(core, call, undefined, review, managerOf(call, options.fieldManager));
    const attributes = admissionAttributes(call, "CREATE", options, { object: review });
    await core.admission.admit(attributes, signal);
    const admitted = attributes.object as KubeObject;
    await core.admission.validate(attributes, signal);
    const answered = await answer(core, call, admitted, signal);
    return respondWithObject(context, endpoint, representation, answered, 201);
  };
}

interface TokenReview extends KubeObject {
  readonly spec?: { readonly token?: string; readonly audiences?: readonly string[] };
}

export const reviewToken: SubresourceHandler = reviewed(async (core, call, review, signal) => {
  const { token = "", audiences = [] } = (review as TokenReview).spec ?? {};
  if (token === "") throw newBadRequest("token is required for TokenReview in authentication");
  const asked = audiences.length > 0 ? audiences : [core.audience];
  const question = { audiences: asked, addWarning: (text: string) => addWarning(call.context, text) };
  const answer = await core.authenticateToken(token, question, signal);
  if (!isAuthenticated(answer)) {
    const error = field.aggregateText(["invalid bearer token", ...answer.problems]);
    return { ...review, status: { user: {}, error } } as KubeObject;
  }
  const user = userFields(withGroupOfAuthenticated(answer.user));
  return { ...review, status: { authenticated: true, user, audiences: answer.audiences } } as KubeObject;
});

export const reviewSelf: SubresourceHandler = reviewed(async (_core, call, review) => {
  const { user, receivedMs } = call.context;
  return {
    ...withMeta(review, { creationTimestamp: formatTime(receivedMs), managedFields: undefined }),
    status: { userInfo: userFields(user) },
  } as KubeObject;
}, false);

function userFields({ name, uid, groups, extra }: UserInfo): unknown {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** About anybody, in the namespace of the review where it has one. */
export const reviewSubjectAccess: SubresourceHandler = reviewed(async (core, call, review, signal) => {
  const spec = specOf(review);
  const { namespaced } = call.endpoint.row;
  refuse(call, [
    ...validateAccess(spec),
    ...validateSubject(spec),
    ...validateSelectors(spec),
    ...validateEmptyMeta(review, namespaced),
    ...(namespaced ? validateLocal(spec, call.namespace) : []),
  ]);
  const { user: name = "", groups, uid, extra } = spec;
  const user = { name, ...(groups && { groups }), ...(uid && { uid }), ...(extra && { extra }) };
  return withDecision(core, review, user, spec, signal);
});

export const reviewSelfAccess: SubresourceHandler = reviewed(async (core, call, review, signal) => {
  const spec = specOf(review);
  refuse(call, [...validateAccess(spec), ...validateSelectors(spec), ...validateEmptyMeta(review, false)]);
  return withDecision(core, review, call.context.user, spec, signal);
});

export const reviewSelfRules: SubresourceHandler = reviewed(async (core, call, review) => {
  const { namespace = "" } = (review as { spec?: { namespace?: string } }).spec ?? {};
  if (namespace === "") throw newBadRequest("no namespace on request");
  const rules = core.authorizer.rulesFor?.(call.context.user, namespace);
  const status = rules ?? { resourceRules: [], nonResourceRules: [], incomplete: true };
  return { ...withMeta(review, { managedFields: undefined }), spec: {}, status } as KubeObject;
}, false);

const specOf = (review: KubeObject): AccessSpec => (review as { spec?: AccessSpec }).spec ?? {};

function refuse({ endpoint }: ResourceCall, errors: readonly field.FieldError[]): void {
  if (errors.length > 0) throw newInvalid({ group: endpoint.version.group, kind: "" }, "", errors);
}

async function withDecision(
  core: ServerCore,
  review: KubeObject,
  user: UserInfo,
  spec: AccessSpec,
  signal: AbortSignal,
): Promise<KubeObject> {
  const decision = await core.authorizer.authorize({ user, info: infoOf(spec) }, signal);
  const reason = decision.isAllowed ? "" : decision.reason;
  const problem = evaluationError(spec);
  const status = {
    allowed: decision.isAllowed,
    ...(reason === "" ? {} : { reason }),
    ...(problem === "" ? {} : { evaluationError: problem }),
  };
  return { ...review, status } as KubeObject;
}
