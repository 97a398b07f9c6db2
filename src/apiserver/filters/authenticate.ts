// Who is asking: a user known within the process, a client certificate, a bearer token, or nobody.
// Upstream: k8s.io/apiserver/pkg/authentication; endpoints/filters/authentication.go

import { newUnauthorized } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import { addWarning, type Filter, headerOf, type ServerRequest } from "../request-context.ts";
import { authenticateToken, isAuthenticated, type TokenSources } from "../tokens/token-authentication.ts";

export interface AuthenticationOptions extends TokenSources {
  readonly allowsAnonymous: boolean;
}

const AUTHENTICATED = "system:authenticated";

export const anonymous: UserInfo = Object.freeze({ name: "system:anonymous", groups: ["system:unauthenticated"] });

export function authenticate(options: AuthenticationOptions): Filter {
  return (next) => async (context, signal) => {
    const { request } = context;
    const known = userOf(request);
    const token = known === undefined ? bearerToken(request) : undefined;
    if (known !== undefined) {
      context.user = withGroupOfAuthenticated(known);
    } else if (token !== undefined) {
      const question = { addWarning: (text: string) => addWarning(context, text) };
      const answer = await authenticateToken(options, token, question, signal);
      if (!isAuthenticated(answer)) throw newUnauthorized("Unauthorized");
      context.user = withGroupOfAuthenticated(answer.user);
    } else if (options.allowsAnonymous && request.peer?.untrusted === undefined) {
      context.user = anonymous;
    } else {
      throw newUnauthorized("Unauthorized");
    }
    return next(context, signal);
  };
}

function userOf({ peer }: ServerRequest): UserInfo | undefined {
  if (peer?.user !== undefined) return peer.user;
  if (peer?.certificate === undefined || peer.certificate.commonName === "") return undefined;
  const { commonName, organizations, fingerprint } = peer.certificate;
  const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] };
  return { name: commonName, groups: organizations, ...(fingerprint === undefined ? {} : { extra }) };
}

function bearerToken(request: ServerRequest): string | undefined {
  const match = /^bearer +(\S+)$/i.exec(headerOf(request, "authorization").trim());
  return match?.[1];
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
