// Impersonation: a user with permission to impersonate each part of another identity gets that identity for this
// request.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation

import { goQuote } from "#api/go-text.ts";
import { type ApiError, isForbidden, newBadRequest } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { HttpHeaders } from "#base/http.ts";
import type { Authorizer } from "../authorization.ts";
import type { Filter } from "../request-context.ts";
import {
  constrainedModes,
  type Impersonation,
  type ImpersonationMode,
  legacyMode,
  type WantedUser,
} from "./impersonation-modes.ts";
import { unescaped } from "./request-header.ts";

const USER = "impersonate-user";
const GROUP = "impersonate-group";
const UID = "impersonate-uid";
const EXTRA_PREFIX = "impersonate-extra-";
const REMEMBERED_USERS_MAX = 10_000;

/** `isConstrained`: the feature gate ConstrainedImpersonation is on. */
export function impersonate(authorizer: Authorizer, isConstrained: boolean): Filter {
  const modes = isConstrained ? [...constrainedModes, legacyMode] : [legacyMode];
  const tryModes = modeTrier(modes, authorizer);
  return (next) => async (context, signal) => {
    const wanted = wantedUser(context.request.headers, isConstrained);
    if (wanted === undefined) return next(context, signal);
    context.user = await tryModes({ requestor: context.user, wanted, info: context.info }, signal);
    return next(context, signal);
  };
}

/** Starts with the mode that succeeded last for the user; a refusal is that of the first mode tried. */
function modeTrier(modes: readonly ImpersonationMode[], authorizer: Authorizer) {
  const lastModes = new Map<string, ImpersonationMode>();
  return async (impersonation: Impersonation, signal: AbortSignal): Promise<UserInfo> => {
    const { name } = impersonation.requestor;
    const last = lastModes.get(name);
    let refusal: ApiError | undefined;
    for (const mode of last === undefined ? modes : [last, ...modes.filter((each) => each !== last)]) {
      try {
        const user = await mode.check(impersonation, authorizer, signal);
        if (user === undefined) continue;
        if (lastModes.size >= REMEMBERED_USERS_MAX) lastModes.clear();
        lastModes.set(name, mode);
        return user;
      } catch (error) {
        if (!isForbidden(error)) throw error;
        refusal ??= error as ApiError;
      }
    }
    throw refusal ?? new Error("all impersonation modes failed");
  };
}

/** Undefined: the request does not impersonate. */
function wantedUser(headers: HttpHeaders, isConstrained: boolean): WantedUser | undefined {
  const [name = ""] = values(headers, USER);
  const [uid = ""] = values(headers, UID);
  const wanted: WantedUser = { name, uid, groups: values(headers, GROUP), extra: extraOf(headers) };
  if (name !== "") return wanted;
  if (uid === "" && wanted.groups.length === 0 && wanted.extra.length === 0) return undefined;
  throw newBadRequest(
    isConstrained
      ? `requested ${shownUser(wanted)} without impersonating a user name`
      : `requested ${shownReferences(wanted)} without impersonating a user`,
  );
}

/** In Go's %#v format. */
function shownUser({ uid, groups, extra }: WantedUser): string {
  const list = (texts: readonly string[]): string => `[]string{${texts.map(goQuote).join(", ")}}`;
  const map = extra.map(([key, texts]) => `${goQuote(key)}:${list(texts)}`).join(", ");
  const shownExtra = extra.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${map}}`;
  const shownGroups = groups.length === 0 ? "[]string(nil)" : list(groups);
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}

/** In Go's format for object references: kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath. */
function shownReferences({ uid, groups, extra }: WantedUser): string {
  const version = "authentication.k8s.io/v1";
  const references = [
    ...groups.map((group) => `{Group  ${group}    }`),
    ...extra.flatMap(([key, texts]) => texts.map((text) => `{UserExtra  ${text}  ${version}  ${key}}`)),
    ...(uid === "" ? [] : [`{UID  ${uid}  ${version}  }`]),
  ];
  return `[${references.join(" ")}]`;
}

function extraOf(headers: HttpHeaders): WantedUser["extra"] {
  return Object.keys(headers)
    .filter((header) => header.startsWith(EXTRA_PREFIX))
    .sort()
    .map((header) => [unescaped(header.slice(EXTRA_PREFIX.length)), values(headers, header)] as const);
}

function values(headers: HttpHeaders, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
