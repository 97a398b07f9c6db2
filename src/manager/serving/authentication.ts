// Authenticators in order: front proxy headers, client certificates, bearer tokens. The first that recognizes the
// caller wins. A caller with credentials that no authenticator accepts is refused; a caller without credentials is
// anonymous.
// Upstream:
// apiserver/pkg/authentication/{authenticatorfactory/delegating.go,request/headerrequest,request/x509,request/bearertoken}.

import { userUidOf } from "#api/x509/user-uid.ts";
import type { Clock } from "#base/clock.ts";
import { aggregateText, errorMessage } from "#base/errors.ts";
import type { HttpHeaders } from "#base/http.ts";
import { headerValue, headerValues } from "#client/headers.ts";
import type { AuthMetrics } from "./auth-metrics.ts";
import type { DaemonRequest, PeerIdentity, User } from "./request.ts";
import type { TokenReviews } from "./token-reviews.ts";

/** Names of the CA bundles on the server, as in PeerIdentity.signedBy. */
export const CLIENT_CA = "client-ca";
export const REQUEST_HEADER_CA = "request-header-ca";

export interface RequestHeaderNames {
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  /** Common names of trusted proxies; empty: every certificate that the CA signed. */
  readonly allowedNames: readonly string[];
}

/** Methods are called for each request, because their results can change while the program runs. */
export interface AuthenticationSources {
  /** Undefined: no front proxy is trusted. */
  requestHeader(): RequestHeaderNames | undefined;
  /** Whether client certificates are checked. */
  hasClientCa(): boolean;
  /** The gate AllowParsingUserUIDFromCertAuth. */
  readonly readsCertificateUid: boolean;
  readonly tokens: TokenReviews | undefined;
}

export type Authenticator = (request: DaemonRequest) => Promise<User>;

export const anonymousUser: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };
const AUTHENTICATED = "system:authenticated";
const UNKNOWN_AUTHORITY = "x509: certificate signed by unknown authority";

/** The caller presented credentials that no authenticator accepts. */
class NotAuthenticated extends Error {
  override readonly name = "NotAuthenticated";
}

export function createAuthenticator(sources: AuthenticationSources, metrics: AuthMetrics, clock: Clock): Authenticator {
  return async (request) => {
    const problems: unknown[] = [];
    const attempts: readonly (() => User | undefined | Promise<User | undefined>)[] = [
      () => frontProxyUser(request, sources.requestHeader()),
      () => certificateUser(request.peer.certificate, sources, metrics, clock),
      () => tokenUser(request, sources.tokens),
    ];
    for (const attempt of attempts) {
      try {
        const user = await attempt();
        if (user !== undefined) return withAuthenticatedGroup(user);
      } catch (error) {
        problems.push(error);
      }
    }
    if (problems.length === 0) return anonymousUser;
    throw new NotAuthenticated(aggregateText(problems.map(errorMessage)));
  };
}

/** Users in one of the two groups keep their groups. */
function withAuthenticatedGroup(user: User): User {
  if (user.name === anonymousUser.name) return user;
  if (user.groups.some((group) => group === AUTHENTICATED || group === "system:unauthenticated")) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED] };
}

function frontProxyUser({ peer, headers }: DaemonRequest, names: RequestHeaderNames | undefined): User | undefined {
  const { certificate } = peer;
  if (certificate === undefined || names === undefined) return undefined;
  if (!certificate.signedBy.includes(REQUEST_HEADER_CA)) {
    throw new NotAuthenticated(certificate.problems[REQUEST_HEADER_CA] ?? UNKNOWN_AUTHORITY);
  }
  const { allowedNames } = names;
  if (allowedNames.length > 0 && !allowedNames.includes(certificate.commonName)) {
    throw new NotAuthenticated(`x509: subject with cn=${certificate.commonName} is not in the allowed list`);
  }
  const firstOf = (list: readonly string[]): string =>
    list.map((name) => headerValue(headers, name.toLowerCase())).find((value) => value !== "") ?? "";
  const name = firstOf(names.usernameHeaders);
  if (name === "") return undefined;
  const uid = firstOf(names.uidHeaders);
  const groups = names.groupHeaders.flatMap((header) => listed(headers, header.toLowerCase()));
  const extra = extraOf(headers, names.extraHeaderPrefixes);
  return { name, groups, extra, ...(uid === "" ? {} : { uid }) };
}

/** Each occurrence of a header is one value, even if it contains commas. */
function listed(headers: HttpHeaders, name: string): readonly string[] {
  return headerValues(headers, name).filter((value) => value !== "");
}

function extraOf(headers: HttpHeaders, prefixes: readonly string[]): Record<string, readonly string[]> {
  const extra = new Map<string, readonly string[]>(); // keys such as "constructor" are legal
  for (const prefix of prefixes.map((text) => text.toLowerCase())) {
    for (const header of Object.keys(headers)) {
      if (!header.startsWith(prefix)) continue;
      const key = unescapedKey(header.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...listed(headers, header)]);
    }
  }
  return Object.fromEntries(extra);
}

function unescapedKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // malformed keys are used unchanged
  }
}

function certificateUser(
  certificate: PeerIdentity | undefined,
  sources: AuthenticationSources,
  metrics: AuthMetrics,
  clock: Clock,
): User | undefined {
  if (certificate === undefined || !sources.hasClientCa()) return undefined;
  metrics.certificateExpirySeconds.observe((certificate.notAfterMs - clock.now()) / 1000);
  if (!certificate.signedBy.includes(CLIENT_CA)) {
    const problem = certificate.problems[CLIENT_CA] ?? UNKNOWN_AUTHORITY;
    throw new NotAuthenticated(`verifying certificate ${certificate.identifier} failed: ${problem}`);
  }
  if (certificate.commonName === "") return undefined;
  const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${certificate.fingerprint}`] };
  const { uid, problem } = userUidOf(sources.readsCertificateUid ? certificate.uids : []);
  if (problem !== undefined) throw new NotAuthenticated(problem);
  const { commonName: name, organizations: groups } = certificate;
  return { name, groups, extra, ...(uid === undefined ? {} : { uid }) };
}

async function tokenUser({ headers }: DaemonRequest, tokens: TokenReviews | undefined): Promise<User | undefined> {
  if (tokens === undefined) return undefined;
  const [scheme = "", token = ""] = headerValue(headers, "authorization").trim().split(" ");
  if (scheme.toLowerCase() === "bearer" && token !== "") return tokens.userOf(token);
  const fromWebSocket = webSocketToken(headers);
  return fromWebSocket === undefined ? undefined : tokens.userOf(fromWebSocket);
}

const WEBSOCKET_PREFIX = "base64url.bearer.authorization.k8s.io.";

/** Browsers cannot set headers on a WebSocket, so the token comes as a subprotocol. */
function webSocketToken(headers: HttpHeaders): string | undefined {
  if (headerValue(headers, "upgrade").toLowerCase() !== "websocket") return undefined;
  const protocols = headerValues(headers, "sec-websocket-protocol").flatMap((value) => value.split(","));
  const found = protocols.map((text) => text.trim()).find((text) => text.startsWith(WEBSOCKET_PREFIX));
  if (found === undefined) return undefined;
  try {
    return atob(found.slice(WEBSOCKET_PREFIX.length).replaceAll("-", "+").replaceAll("_", "/")) || undefined;
  } catch {
    throw new NotAuthenticated("invalid base64.bearer token encoding");
  }
}
