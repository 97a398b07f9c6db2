// The ways to act as another user: the constrained modes, which also check the action, or the older verb "impersonate"
// alone.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation/mode.go

import * as field from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import { isDns1123Label, isDns1123Subdomain } from "#api/names.ts";
import { type ApiError, isForbidden } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import { aggregateText } from "#base/errors.ts";
import { domainPrefixedPath } from "#kinds/parts/checks.ts";
import { type AuthorizationAttributes, type Authorizer, forbidden } from "../authorization.ts";
import type { RequestInfo, ResourceRequestInfo } from "../request-info.ts";

/** The identity in the request's headers. */
export interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: readonly (readonly [key: string, values: readonly string[]])[];
}

/** The requestor, the wanted identity, and the request. */
export interface Impersonation {
  readonly requestor: UserInfo;
  readonly wanted: WantedUser;
  readonly info: RequestInfo;
}

export interface ImpersonationMode {
  /** Undefined: the mode does not apply to such users. Throws if the mode refuses the impersonation. */
  check(impersonation: Impersonation, authorizer: Authorizer, signal: AbortSignal): Promise<UserInfo | undefined>;
}

const AUTHENTICATION = "authentication.k8s.io";
const ANONYMOUS = "system:anonymous";
const AUTHENTICATED = "system:authenticated";
const UNAUTHENTICATED = "system:unauthenticated";
const MASTERS = "system:masters";
const NODE_NAME = "authentication.kubernetes.io/node-name";
const NODE_KEYS = "authentication.kubernetes.io/associated-node-keys";
/** From this number of values on, the permission to impersonate all of them is checked first. */
const MANY_CHECKS = 4;

const hasNameOnly = ({ uid, groups, extra }: WantedUser): boolean =>
  uid === "" && groups.length === 0 && extra.length === 0;

/** In the order of attempts. */
export const constrainedModes: readonly ImpersonationMode[] = [
  constrained("associated-node", ({ requestor, wanted }) => {
    const node = nodeOf(wanted.name);
    const own = requestor.extra?.[NODE_NAME] ?? [];
    const isAccount = accountOf(requestor.name) !== undefined;
    return hasNameOnly(wanted) && isAccount && node !== undefined && own.length === 1 && own[0] === node;
  }),
  constrained("arbitrary-node", ({ wanted }) => hasNameOnly(wanted) && nodeOf(wanted.name) !== undefined),
  constrained("serviceaccount", ({ wanted }) => hasNameOnly(wanted) && accountOf(wanted.name) !== undefined),
  constrained("user-info", ({ wanted: { name } }) => nodeOf(name) === undefined && accountOf(name) === undefined),
];

export const legacyMode: ImpersonationMode = {
  async check({ requestor, wanted }, authorizer, signal) {
    const ask = asking(authorizer, signal);
    for (const part of partsOf(wanted, "")) await ask(attributesOf(requestor, "impersonate", part));
    return userOf(wanted, accountGroups(wanted));
  },
};

function constrained(mode: string, isFor: (impersonation: Impersonation) => boolean): ImpersonationMode {
  const isAssociated = mode === "associated-node";
  return {
    async check(impersonation, authorizer, signal) {
      if (!isFor(impersonation)) return undefined;
      const { wanted, info } = impersonation;
      const ask = asking(authorizer, signal);
      // The permission must hold on every node, so the check does not name one.
      const requestor = isAssociated ? withoutNode(impersonation.requestor) : impersonation.requestor;
      await ask({ user: requestor, info: { ...info, verb: `impersonate-on:${mode}:${info.verb}` } });
      const attributes: AttributesOf = (part) => attributesOf(requestor, `impersonate:${mode}`, part);
      const node = nodeOf(wanted.name);
      const [user, ...parts] = partsOf(wanted, AUTHENTICATION);
      const named = node === undefined ? user : { ...user, resource: "nodes", name: isAssociated ? "*" : node };
      await ask(attributes(named as Part));
      const askFor = (resource: string): Promise<void> =>
        askAll(parts.filter((each) => each.resource === resource).map(attributes), ask);
      await askFor("uids");
      refuseGroups(wanted, attributes);
      await askFor("groups");
      refuseExtra(wanted, attributes);
      await askFor("userextras");
      return userOf(wanted, node === undefined ? accountGroups(wanted) : ["system:nodes"]);
    },
  };
}

type Ask = (attributes: AuthorizationAttributes) => Promise<void>;

const asking =
  (authorizer: Authorizer, signal: AbortSignal): Ask =>
  async (attributes) => {
    const decision = await authorizer.authorize(attributes, signal);
    if (!decision.isAllowed) throw forbidden(attributes, decision.reason);
  };

async function askAll(questions: readonly ResourceAttributes[], ask: Ask): Promise<void> {
  const [first] = questions;
  if (first !== undefined && questions.length >= MANY_CHECKS) {
    const { user, info } = first;
    const subresource = info.subresource === "" ? "" : "*";
    try {
      return await ask({ user, info: { ...info, name: "*", subresource } });
    } catch (error) {
      if (!isForbidden(error)) throw error;
    }
  }
  for (const question of questions) await ask(question);
}

type AttributesOf = (part: Part) => ResourceAttributes;

/** The older mode accepts empty groups and system:masters. */
function refuseGroups({ groups }: WantedUser, attributes: AttributesOf): void {
  const refuse = (name: string, reason: string): ApiError =>
    forbidden(attributes(groupPart(AUTHENTICATION, name)), reason);
  if (groups.includes("")) throw refuse("", "impersonating the empty string group is not allowed");
  if (groups.includes(MASTERS)) throw refuse(MASTERS, "impersonating the system:masters group is not allowed");
}

/** The older mode accepts all keys and values. */
function refuseExtra({ extra }: WantedUser, attributes: AttributesOf): void {
  for (const entry of extra) {
    const problem = extraProblem(entry);
    if (problem !== undefined) throw forbidden(attributes(part(AUTHENTICATION, "userextras", "")), problem);
  }
}

function extraProblem([key, values]: WantedUser["extra"][number]): string | undefined {
  if (key === "") return "impersonating the empty string key in extra is not allowed";
  const errors: field.FieldError[] = [];
  domainPrefixedPath(errors, key, field.newPath("extra", "key"));
  if (errors.length > 0) {
    return `impersonating an invalid key in extra is not allowed: ${aggregateText(errors.map(field.errorText))}`;
  }
  if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
  return values.includes("") ? "impersonating the empty string value in extra is not allowed" : undefined;
}

/** One part of the wanted identity, as a resource to impersonate. */
interface Part {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

const part = (group: string, resource: string, name: string, more: Partial<Part> = {}): Part => ({
  group,
  resource,
  subresource: "",
  namespace: "",
  name,
  ...more,
});
const groupPart = (apiGroup: string, name: string): Part => part(apiGroup, "groups", name);

/** The user first. In constrained modes users and groups belong to another API group. */
function partsOf({ name, uid, groups, extra }: WantedUser, apiGroup: string): readonly Part[] {
  const account = accountOf(name);
  return [
    account === undefined
      ? part(apiGroup, "users", name)
      : part(apiGroup, "serviceaccounts", account.name, { namespace: account.namespace }),
    ...(uid === "" ? [] : [part(AUTHENTICATION, "uids", uid)]),
    ...groups.map((group) => groupPart(apiGroup, group)),
    ...extra.flatMap(([key, values]) =>
      values.map((value) => part(AUTHENTICATION, "userextras", value, { subresource: key })),
    ),
  ];
}

interface ResourceAttributes extends AuthorizationAttributes {
  readonly info: ResourceRequestInfo;
}

function attributesOf(user: UserInfo, verb: string, wanted: Part): ResourceAttributes {
  const info: ResourceRequestInfo = {
    ...wanted,
    isResourceRequest: true,
    path: "",
    verb,
    version: "v1",
    segments: [],
    isWatchPath: false,
  };
  return { user, info };
}

function withoutNode({ name, uid, groups, extra = {} }: UserInfo): UserInfo {
  const keys = Object.keys(extra).sort();
  return { name, ...(uid && { uid }), ...(groups && { groups }), extra: { [NODE_KEYS]: keys } };
}

/** A service account's groups follow from its name, unless groups are given. */
function accountGroups({ name, groups }: WantedUser): readonly string[] {
  const account = accountOf(name);
  if (account === undefined || groups.length > 0) return groups;
  return ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
}

function userOf({ name, uid, extra }: WantedUser, groups: readonly string[]): UserInfo {
  return {
    name,
    groups: withAuthenticationGroup(name, groups),
    ...(uid === "" ? {} : { uid }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/**
 * Adds the group of authenticated or unauthenticated users: the anonymous user is unauthenticated, all others are
 * authenticated, unless their groups already contain one of the two.
 */
function withAuthenticationGroup(name: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(UNAUTHENTICATED)) return groups;
  const group = name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED;
  return groups.includes(group) ? groups : [...groups, group];
}

function nodeOf(name: string): string | undefined {
  const [, node] = /^system:node:(.*)$/s.exec(name) ?? [];
  return node !== undefined && isDns1123Subdomain(node).length === 0 ? node : undefined;
}

function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]*):([^:]*)$/.exec(user) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  const isValid = isDns1123Label(namespace).length === 0 && isDns1123Subdomain(name).length === 0;
  return isValid ? { namespace, name } : undefined;
}
