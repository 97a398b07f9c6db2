// Acting as somebody else: whoever may impersonate each part of another identity becomes it for this
// request. Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation

import { goQuote } from "#api/go-text.ts";
import { newBadRequest } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { HttpHeaders } from "#base/http.ts";
import { type Authorizer, forbidden } from "../authorization.ts";
import type { Filter } from "../request-context.ts";
import type { ResourceRequestInfo } from "../request-info.ts";

const USER = "impersonate-user";
const GROUP = "impersonate-group";
const UID = "impersonate-uid";
const EXTRA_PREFIX = "impersonate-extra-";
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const ANONYMOUS = "system:anonymous";

/** One part of the wanted identity, as a resource that the caller must be allowed to impersonate. */
interface Part {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export function impersonate(authorizer: Authorizer): Filter {
  return (next) => async (context, signal) => {
    const wanted = wantedIdentity(context.request.headers);
    if (wanted === undefined) return next(context, signal);
    for (const part of wanted.parts) {
      const attributes = { user: context.user, info: impersonation(part) };
      const decision = await authorizer.authorize(attributes, signal);
      if (!decision.isAllowed) throw forbidden(attributes, decision.reason);
    }
    context.user = wanted.user;
    return next(context, signal);
  };
}

function impersonation(part: Part): ResourceRequestInfo {
  return {
    ...part,
    isResourceRequest: true,
    path: "",
    verb: "impersonate",
    version: "v1",
    segments: [],
    isWatchPath: false,
  };
}

function wantedIdentity(headers: HttpHeaders): { user: UserInfo; parts: readonly Part[] } | undefined {
  const [name = ""] = values(headers, USER);
  const groups = values(headers, GROUP);
  const [uid = ""] = values(headers, UID);
  const extra = extraOf(headers);
  const others = [...groups.map(groupPart), ...(uid === "" ? [] : [uidPart(uid)]), ...extra.flatMap(extraParts)];
  if (name === "") {
    if (others.length === 0) return undefined;
    throw newBadRequest(`requested ${shownIdentity(uid, groups, extra)} without impersonating a user name`);
  }
  return {
    user: {
      name,
      groups: withStanding(name, groups.length > 0 ? groups : groupsOfAccount(name), groups.length > 0),
      ...(uid === "" ? {} : { uid }),
      ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
    },
    parts: [userPart(name), ...others],
  };
}

/** As Go prints it. */
function shownIdentity(uid: string, groups: readonly string[], extra: ReturnType<typeof extraOf>): string {
  const list = (texts: readonly string[]): string => `[]string{${texts.map(goQuote).join(", ")}}`;
  const map = extra.map(([key, texts]) => `${goQuote(key)}:${list(texts)}`).join(", ");
  const shownExtra = extra.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${map}}`;
  const shownGroups = groups.length === 0 ? "[]string(nil)" : list(groups);
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}

const part = (resource: string, name: string, more: Partial<Part> = {}): Part => ({
  group: "",
  resource,
  subresource: "",
  namespace: "",
  name,
  ...more,
});
const groupPart = (name: string): Part => part("groups", name);
const uidPart = (uid: string): Part => part("uids", uid, { group: "authentication.k8s.io" });
const extraParts = ([key, list]: readonly [string, readonly string[]]): Part[] =>
  list.map((value) => part("userextras", value, { group: "authentication.k8s.io", subresource: key }));

function userPart(name: string): Part {
  const [, namespace, account] = SERVICE_ACCOUNT.exec(name) ?? [];
  return account === undefined || namespace === undefined
    ? part("users", name)
    : part("serviceaccounts", account, { namespace });
}

/** A service account's groups follow from its name. */
function groupsOfAccount(name: string): readonly string[] {
  const [, namespace] = SERVICE_ACCOUNT.exec(name) ?? [];
  return namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

/** Everybody but the anonymous user is authenticated, unless the given groups already say either. */
function withStanding(name: string, groups: readonly string[], areGiven: boolean): readonly string[] {
  const standing = name === ANONYMOUS ? "system:unauthenticated" : "system:authenticated";
  const isSaid = groups.some((group) => group === "system:authenticated" || group === "system:unauthenticated");
  if (isSaid || (name === ANONYMOUS && areGiven)) return groups;
  return [...groups, standing];
}

function extraOf(headers: HttpHeaders): readonly (readonly [string, readonly string[]])[] {
  return Object.keys(headers)
    .filter((header) => header.startsWith(EXTRA_PREFIX))
    .sort()
    .map((header) => [unescaped(header.slice(EXTRA_PREFIX.length)), values(headers, header)] as const);
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // upstream keeps what it cannot decode
  }
}

function values(headers: HttpHeaders, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
