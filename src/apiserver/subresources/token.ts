// A token for a service account, for a while, for an audience, and bound to an object that must outlive
// it. Upstream: pkg/registry/core/serviceaccount/storage/token.go

import * as field from "#api/field-error.ts";
import type { BoundObjectReference, TokenRequest } from "#api/generated/types/authentication-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { clampToNumber } from "#api/int64.ts";
import type { KubeObject } from "#api/object.ts";
import { parseApiVersion } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { newBadRequest, newConflict, newInvalid, newNotFound } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import { tokenRequestDefaults } from "#kinds/authentication/token-request.ts";
import type { JsonObject } from "#kinds/parts/defaulting.ts";
import { findObject } from "../addressed-object.ts";
import { admissionAttributes, type ResourceCall, type ServerCore } from "../core.ts";
import { decodeObject } from "../decoding/decode-object.ts";
import { readBody } from "../decoding/request-body.ts";
import { routeNotFound } from "../errors.ts";
import { managerOf, recordUpdate } from "../managed-fields.ts";
import { postedRules } from "../negotiation-rules.ts";
import type { Endpoint } from "../registry.ts";
import { respondWithObject } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { type AccountTokens, accountClaims, type NamedRef } from "../tokens/account-tokens.ts";
import { storedObject } from "../tokens/stored-references.ts";
import { matchNamespace } from "../write/namespace-match.ts";
import { parseWriteOptions } from "../write-options.ts";
import { bodyVersion } from "./created-body.ts";
import type { SubresourceHandler } from "./subresource.ts";

const TOKEN_REQUEST = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const SECONDS_MIN = 600;
const SECONDS_MAX = 2 ** 32;
/** What every pod's token volume asks for: such tokens live longer, since old clients never reload them. */
const EXTENDED_SECONDS_ASKED = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;

export const requestToken: SubresourceHandler = async (core, call, signal) => {
  const tokens = core.accountTokens;
  if (tokens === undefined) throw routeNotFound();
  const { context } = call;
  const representation = negotiate(context, postedRules(call));
  const body = await readBody(context.request, core.limits.bodyBytesMax);
  const options = parseWriteOptions(context.query, "CreateOptions");
  let object = decodeObject(call, body, options.fieldValidation, bodyVersion(TOKEN_REQUEST));
  object = tokenRequestDefaults(object as JsonObject, { now: context.receivedMs }) as KubeObject;
  object = matchNamespace(object, call.namespace);
  const asTokenRequest = { ...call, endpoint: endpointFor(call.endpoint) };
  object = recordUpdate(core, asTokenRequest, undefined, object, managerOf(call, options.fieldManager));
  const attributes = { ...admissionAttributes(call, "CREATE", options, { object }), kind: TOKEN_REQUEST };
  await core.admission.admit(attributes, signal);
  attributes.object = aboutAccount(core, call, tokens, attributes.object as TokenRequest) as KubeObject;
  await core.admission.validate(attributes, signal);
  const issued = issue(core, call, tokens, attributes.object as TokenRequest) as KubeObject;
  return respondWithObject(context, asTokenRequest.endpoint, representation, issued, 201);
};

const endpoints = new WeakMap<Endpoint, Endpoint>();

/** Managed fields are those of a token request, not of the account. */
function endpointFor(account: Endpoint): Endpoint {
  let endpoint = endpoints.get(account);
  if (endpoint === undefined) {
    const version = bodyVersion(TOKEN_REQUEST);
    const { row } = account;
    const strategy = { ...row.strategy, subresources: {} };
    endpoint = {
      ...account,
      row: { ...row, versions: [version], stored: TOKEN_REQUEST, strategy },
      version,
      apiVersion: `${TOKEN_REQUEST.group}/${TOKEN_REQUEST.version}`,
      isStoredVersion: true,
    };
    endpoints.set(account, endpoint);
  }
  return endpoint;
}

/** The request, with all that it left out taken from the account. */
function aboutAccount(
  core: ServerCore,
  call: ResourceCall,
  tokens: AccountTokens,
  request: TokenRequest,
): TokenRequest {
  const { name: given = "" } = request.metadata ?? {};
  if (given !== "" && given !== call.name) {
    const detail = "must match the service account name if specified";
    throw newInvalid(TOKEN_REQUEST, call.name, [field.invalid(field.newPath("metadata", "name"), given, detail)]);
  }
  const account = findObject(core, call).object;
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
    creationTimestamp: formatTime(call.context.receivedMs),
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

function issue(core: ServerCore, call: ResourceCall, tokens: AccountTokens, request: TokenRequest): KubeObject {
  const { metadata = {}, spec = {} } = request;
  const now = call.context.receivedMs;
  const bound = spec.boundObjectRef ? boundTo(core, call, spec.boundObjectRef) : {};
  const { audiences = [] } = spec;
  const expirationSeconds = clampToNumber(spec.expirationSeconds ?? 0);
  const isExtended =
    bound.pod !== undefined &&
    expirationSeconds === EXTENDED_SECONDS_ASKED &&
    audiences.every((each) => tokens.audiences.includes(each));
  const claims = accountClaims({
    account: { namespace: call.namespace, name: call.name, uid: metadata.uid ?? "" },
    ...bound,
    now,
    expirationSeconds: isExtended ? EXTENDED_SECONDS : expirationSeconds,
    ...(isExtended ? { warnAfterSeconds: expirationSeconds } : {}),
    audiences,
    issuer: tokens.issuer,
    tokenId: core.rng.tokens.uuid(),
  });
  return {
    ...request,
    spec: { ...spec, boundObjectRef: spec.boundObjectRef ?? null },
    status: {
      token: tokens.keys.sign(claims),
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
function boundTo(core: ServerCore, call: ResourceCall, ref: BoundObjectReference): Bound {
  const { group, version } = parseApiVersion(ref.apiVersion ?? "");
  const { kind = "", name = "", uid = "" } = ref;
  const table = group === "" ? BINDABLE[kind] : undefined;
  if (table === undefined) {
    throw newBadRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const found = storedObject(core, table, call.namespace, name);
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
  const node = storedObject(core, "nodes", "", nodeName);
  return { pod: own, node: { name: nodeName, uid: node?.metadata?.uid ?? "" } };
}

const BINDABLE: Readonly<Record<string, string>> = {
  __proto__: null as never,
  Pod: "pods",
  Node: "nodes",
  Secret: "secrets",
};
