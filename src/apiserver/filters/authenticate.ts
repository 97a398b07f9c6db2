// Authenticates the caller: a user within the process, a front proxy's user, a client certificate, a bearer token, or
// anonymous.
// Upstream: k8s.io/apiserver/pkg/authentication; endpoints/filters/authentication.go

import { newUnauthorized } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import { userUidOf } from "#api/x509/user-uid.ts";
import { addWarning, type Filter, headerOf, type ServerRequest } from "../request-context.ts";
import { authenticateToken, isAuthenticated, type TokenSources } from "../tokens/token-authentication.ts";
import { frontProxyUser, type RequestHeaderOptions } from "./request-header.ts";

export interface AuthenticationOptions extends TokenSources {
  readonly allowsAnonymous: boolean;
  /** PEM of the CA of client certificates, published for extension API servers. */
  readonly clientCa?: string;
  /** The front proxy that may name users; absent: none. */
  readonly requestHeader?: RequestHeaderOptions;
}

/** CA names in Peer.certificate.signedBy. */
export const CLIENT_CA = "client-ca";
export const REQUEST_HEADER_CA = "request-header-ca";

const AUTHENTICATED = "system:authenticated";

export const anonymous: UserInfo = Object.freeze({ name: "system:anonymous", groups: ["system:unauthenticated"] });

/** `readsUid`: whether the gate AllowParsingUserUIDFromCertAuth is on. */
export function authenticate(options: AuthenticationOptions, readsUid: boolean): Filter {
  return (next) => async (context, signal) => {
    const { request } = context;
    const known = userOf(request, options.requestHeader, readsUid);
    const token = known === undefined ? bearerToken(request) : undefined;
    if (known !== undefined) {
      context.user = withGroupOfAuthenticated(known);
    } else if (token !== undefined) {
      const question = { addWarning: (text: string) => addWarning(context, text) };
      const answer = await authenticateToken(options, token, question, signal);
      if (!isAuthenticated(answer)) throw newUnauthorized("Unauthorized");
      context.user = withGroupOfAuthenticated(answer.user);
    } else if (options.allowsAnonymous && !isUnacceptable(request, readsUid)) {
      context.user = anonymous;
    } else {
      throw newUnauthorized("Unauthorized");
    }
    return next(context, signal);
  };
}

function userOf(
  request: ServerRequest,
  requestHeader: RequestHeaderOptions | undefined,
  readsUid: boolean,
): UserInfo | undefined {
  const { peer } = request;
  if (peer?.user !== undefined) return peer.user;
  if (peer?.certificate === undefined) return undefined;
  const { commonName, organizations, uids = [], fingerprint, signedBy = [CLIENT_CA] } = peer.certificate;
  if (requestHeader !== undefined && signedBy.includes(REQUEST_HEADER_CA)) {
    const user = frontProxyUser(commonName, request.headers, requestHeader);
    if (user !== undefined) return user;
  }
  if (commonName === "" || !signedBy.includes(CLIENT_CA)) return undefined;
  const { uid, problem } = userUidOf(readsUid ? uids : []);
  if (problem !== undefined) return undefined;
  const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] };
  return {
    name: commonName,
    groups: organizations,
    ...(uid === undefined ? {} : { uid }),
    ...(fingerprint === undefined ? {} : { extra }),
  };
}

/** Refuses a client certificate that authenticates no user. Upstream ignores only one without a common name. */
function isUnacceptable({ peer }: ServerRequest, readsUid: boolean): boolean {
  if (peer?.untrusted !== undefined) return true;
  if (peer?.certificate === undefined) return false;
  const { commonName, uids = [], signedBy = [CLIENT_CA] } = peer.certificate;
  if (!signedBy.includes(CLIENT_CA)) return true;
  return commonName !== "" && readsUid && userUidOf(uids).problem !== undefined;
}

function bearerToken(request: ServerRequest): string | undefined {
  const match = /^bearer +(\S+)$/i.exec(headerOf(request, "authorization").trim());
  return match?.[1];
}

const withGroup = new WeakMap<UserInfo, UserInfo>();

/** Adds system:authenticated to the groups. */
export function withGroupOfAuthenticated(user: UserInfo): UserInfo {
  if (user.groups?.includes(AUTHENTICATED) || user.name === anonymous.name) return user;
  let extended = withGroup.get(user);
  if (extended === undefined) {
    extended = { ...user, groups: [...(user.groups ?? []), AUTHENTICATED] };
    withGroup.set(user, extended);
  }
  return extended;
}
