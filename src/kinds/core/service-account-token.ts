// Tokens for a service account: with an expiry, audiences, and an optional object that they are bound to. Upstream:
// pkg/registry/core/serviceaccount/storage/token.go; pkg/apis/authentication/v1/defaults.go

import * as field from "#api/field-error.ts";
import type { BoundObjectReference, TokenRequest } from "#api/generated/types/authentication-v1.ts";
import type { Pod, ServiceAccount } from "#api/generated/types/core-v1.ts";
import { clampToNumber } from "#api/int64.ts";
import { type KubeObject, parseApiVersion } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { newGenericServerResponse } from "#api/server-response.ts";
import { newBadRequest, newConflict, newInvalid, newNotFound } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { KindCall, KindHooks, KindServer, NamedRef, Posted, PostedBody, TokenIssuer } from "#kinds/hooks.ts";
import { inner, nil, type Rule } from "#kinds/parts/defaulting.ts";

export const tokenRequestDefaults: Rule = inner("spec", nil({ expirationSeconds: 3600 }));

const TOKEN_REQUEST: PostedBody = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  defaults: tokenRequestDefaults,
};
const SECONDS_MIN = 600;
const SECONDS_MAX = 2 ** 32;
/** The expiry that pods' token volumes request. Such tokens live longer, because old clients never reload them. */
const EXTENDED_SECONDS_ASKED = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;

/** A server that issues no tokens has no token subresource. */
export function accountHooks(server: KindServer): KindHooks<ServiceAccount> {
  const { tokenIssuer } = server;
  if (tokenIssuer === undefined) {
    return { connected: { token: () => Promise.reject(newGenericServerResponse({ code: 404, verb: "" })) } };
  }
  return { posted: { token: requestedToken(server, tokenIssuer) } };
}

const requestedToken = (server: KindServer, issuer: TokenIssuer): Posted & { readonly body: PostedBody } => ({
  body: TOKEN_REQUEST,
  preservesSystemFields: true,
  tracksFields: true,
  prepare: (call, request) => aboutAccount(server, call, issuer, request as TokenRequest) as KubeObject,
  answer: async (call, request) => issue(server, call, issuer, request as TokenRequest),
});

/** The request with defaults taken from the account. */
function aboutAccount(server: KindServer, call: KindCall, tokens: TokenIssuer, request: TokenRequest): TokenRequest {
  const { name: given = "" } = request.metadata ?? {};
  if (given !== "" && given !== call.name) {
    const detail = "must match the service account name if specified";
    throw newInvalid(TOKEN_REQUEST, call.name, [field.invalid(field.newPath("metadata", "name"), given, detail)]);
  }
  const account = server.objects("serviceaccounts").find(call.namespace, call.name).object;
  const uid = account.metadata?.uid ?? "";
  const givenUid = request.metadata?.uid ?? "";
  if (givenUid !== "" && givenUid !== uid) {
    const why = `the UID in the token request (${givenUid}) does not match the UID of the service account (${uid})`;
    throw newConflict({ group: TOKEN_REQUEST.group, resource: TOKEN_REQUEST.kind }, call.name, why);
  }
  const { status: _status, spec, ...rest } = request;
  const audiences = spec?.audiences?.length ? spec.audiences : tokens.audiences;
  const complete = withMeta({ ...rest, spec: { ...spec, audiences } } as KubeObject, {
    name: call.name,
    namespace: call.namespace,
    uid,
    creationTimestamp: formatTime(call.now),
  }) as TokenRequest;
  const errors = validate(complete);
  if (errors.length > 0) throw newInvalid(TOKEN_REQUEST, "", errors);
  return complete;
}

/** Upstream: pkg/apis/authentication/validation, ValidateTokenRequest */
function validate({ spec }: TokenRequest): field.FieldError[] {
  const seconds = spec?.expirationSeconds ?? 0;
  const path = field.newPath("spec", "expirationSeconds");
  if (seconds < SECONDS_MIN) {
    return [field.invalid(path, seconds, "may not specify a duration less than 10 minutes")];
  }
  if (seconds > SECONDS_MAX) {
    return [field.invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")];
  }
  return [];
}

function issue(server: KindServer, call: KindCall, tokens: TokenIssuer, request: TokenRequest): KubeObject {
  const { metadata = {}, spec = {} } = request;
  const now = call.now;
  const bound = spec.boundObjectRef ? boundTo(server, call, spec.boundObjectRef) : {};
  const { audiences = [] } = spec;
  const expirationSeconds = clampToNumber(spec.expirationSeconds ?? 0);
  const isExtended =
    bound.pod !== undefined &&
    expirationSeconds === EXTENDED_SECONDS_ASKED &&
    audiences.every((each) => tokens.audiences.includes(each));
  const token = tokens.issue({
    account: { namespace: call.namespace, name: call.name, uid: metadata.uid ?? "" },
    ...bound,
    now,
    expirationSeconds: isExtended ? EXTENDED_SECONDS : expirationSeconds,
    ...(isExtended ? { warnAfterSeconds: expirationSeconds } : {}),
    audiences,
  });
  return {
    ...request,
    spec: { ...spec, boundObjectRef: spec.boundObjectRef ?? null },
    status: {
      token,
      expirationTimestamp: formatTime(now + expirationSeconds * 1000),
    },
  } as KubeObject;
}

interface Bound {
  readonly pod?: NamedRef;
  readonly secret?: NamedRef;
  readonly node?: NamedRef;
}

/** Throws a 404, 409 or 400. */
function boundTo(server: KindServer, call: KindCall, ref: BoundObjectReference): Bound {
  const { group, version } = parseApiVersion(ref.apiVersion ?? "");
  const { kind = "", name = "", uid = "" } = ref;
  const table = group === "" ? BINDABLE[kind] : undefined;
  if (table === undefined) {
    throw newBadRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const found = server.objects(table).get(call.namespace, name)?.object;
  if (found === undefined) throw newNotFound({ group: "", resource: table }, name);
  const { nodeName = "", serviceAccountName } = (found as Pod).spec ?? {};
  if (kind === "Pod" && serviceAccountName !== call.name) {
    throw newBadRequest(
      `cannot bind token for serviceaccount "${call.name}" to pod running with different serviceaccount name.`,
    );
  }
  const actual = found.metadata?.uid ?? "";
  if (uid !== "" && uid !== actual) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw newConflict({ group: "", resource: kind }, name, why);
  }
  const own = { name, uid: actual };
  if (kind === "Secret") return { secret: own };
  if (kind === "Node") return { node: own };
  if (nodeName === "") return { pod: own };
  const node = server.objects("nodes").get("", nodeName)?.object;
  return { pod: own, node: { name: nodeName, uid: node?.metadata?.uid ?? "" } };
}

const BINDABLE: Readonly<Record<string, string>> = {
  __proto__: null as never,
  Pod: "pods",
  Node: "nodes",
  Secret: "secrets",
};
