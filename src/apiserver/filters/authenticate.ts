// Who is asking: a user known within the process, a client certificate, a bearer token, or nobody.
// Upstream: k8s.io/apiserver/pkg/authentication; endpoints/filters/authentication.go

import { newUnauthorized } from "#api/status-error.ts";
import { type Filter, headerOf, type ServerRequest, type UserInfo } from "../request-context.ts";

export interface TokenAuthenticator {
  /** Undefined: not one of its tokens. */
  authenticate(token: string, signal: AbortSignal): UserInfo | undefined | Promise<UserInfo | undefined>;
}

export interface AuthenticationOptions {
  /** Users by token. */
  readonly staticTokens?: ReadonlyMap<string, UserInfo>;
  /** Asked in order. */
  readonly tokenAuthenticators?: readonly TokenAuthenticator[];
  readonly allowsAnonymous: boolean;
}

const AUTHENTICATED = "system:authenticated";

export const anonymous: UserInfo = Object.freeze({ name: "system:anonymous", groups: ["system:unauthenticated"] });

export function authenticate(options: AuthenticationOptions): Filter {
  return (next) => async (context, signal) => {
    const user = userOf(context.request) ?? (await userOfToken(options, context.request, signal));
    if (user !== undefined) context.user = withGroupOfAuthenticated(user);
    else if (options.allowsAnonymous && bearerToken(context.request) === undefined) context.user = anonymous;
    else throw newUnauthorized("Unauthorized");
    return next(context, signal);
  };
}

function userOf({ peer }: ServerRequest): UserInfo | undefined {
  if (peer?.user !== undefined) return peer.user;
  if (peer?.certificate === undefined || peer.certificate.commonName === "") return undefined;
  return { name: peer.certificate.commonName, groups: peer.certificate.organizations };
}

function bearerToken(request: ServerRequest): string | undefined {
  const match = /^bearer +(\S+)$/i.exec(headerOf(request, "authorization").trim());
  return match?.[1];
}

async function userOfToken(
  options: AuthenticationOptions,
  request: ServerRequest,
  signal: AbortSignal,
): Promise<UserInfo | undefined> {
  const token = bearerToken(request);
  return token === undefined ? undefined : authenticateToken(options, token, signal);
}

/** Undefined: nobody's token. */
export async function authenticateToken(
  { staticTokens, tokenAuthenticators = [] }: AuthenticationOptions,
  token: string,
  signal: AbortSignal,
): Promise<UserInfo | undefined> {
  const known = staticTokens?.get(token);
  if (known !== undefined) return known;
  for (const authenticator of tokenAuthenticators) {
    const user = await authenticator.authenticate(token, signal);
    if (user !== undefined) return user;
  }
  return undefined;
}

const withGroup = new WeakMap<UserInfo, UserInfo>();

/** Everybody who is known belongs to one group more. */
export function withGroupOfAuthenticated(user: UserInfo): UserInfo {
  if (user.groups?.includes(AUTHENTICATED) || user.name === anonymous.name) return user;
  let extended = withGroup.get(user);
  if (extended === undefined) {
    extended = { ...user, groups: [...(user.groups ?? []), AUTHENTICATED] };
    withGroup.set(user, extended);
  }
  return extended;
}
