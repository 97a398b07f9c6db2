// Who may do what. The built-in authorizer stands in until roles are served: system:masters may do
// everything, everybody else may look at health and version, who is known at discovery and at what they may do, service
// accounts at who issues their tokens, and who monitors at the metrics.
// Upstream: k8s.io/apiserver/pkg/authorization; pkg/endpoints/handlers/responsewriters/errors.go

import { goQuote } from "#api/go-text.ts";
import { type ApiError, newForbidden } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { RequestInfo, ResourceRequestInfo } from "./request-info.ts";
import { CONFIGURATION_PATH, KEYS_PATH } from "./tokens/openid.ts";

export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly info: RequestInfo;
}

export type Decision = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

export interface RuleList {
  readonly resourceRules: readonly unknown[];
  readonly nonResourceRules: readonly unknown[];
  readonly incomplete: boolean;
}

export interface Authorizer {
  authorize(attributes: AuthorizationAttributes, signal: AbortSignal): Decision | Promise<Decision>;
  /** All that a user may do in a namespace, where the authorizer can tell. */
  rulesFor?(user: UserInfo, namespace: string): RuleList;
}

const ALLOWED: Decision = { isAllowed: true };
const DENIED: Decision = { isAllowed: false, reason: "" };

const PUBLIC_PATHS = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
/** What upstream's role system:public-info-viewer grants to everybody. */
const PUBLIC_RULE = { verbs: ["get"], nonResourceURLs: PUBLIC_PATHS };
/** What its role system:discovery grants to everybody who is known. */
const DISCOVERY_RULE = {
  verbs: ["get"],
  nonResourceURLs: [...PUBLIC_PATHS, "/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"].sort(),
};
/** What its role system:service-account-issuer-discovery grants to all service accounts. */
const ISSUER_RULE = {
  verbs: ["get"],
  nonResourceURLs: [CONFIGURATION_PATH, `${CONFIGURATION_PATH}/`, KEYS_PATH, `${KEYS_PATH}/`],
};
/** What its role system:monitoring grants to the group of that name, as far as it is served. */
const MONITORING_RULE = {
  verbs: ["get"],
  nonResourceURLs: ["/healthz", "/healthz/*", "/livez", "/livez/*", "/metrics", "/readyz", "/readyz/*"],
};
/** What upstream's role system:basic-user grants to everybody who is known. */
const BASIC_RULES = [
  { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
  {
    verbs: ["create"],
    apiGroups: ["authorization.k8s.io"],
    resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
  },
];
const EVERYTHING = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
const EVERY_PATH = { verbs: ["*"], nonResourceURLs: ["*"] };

export const mastersOnly: Authorizer = {
  rulesFor: ({ groups }) =>
    groups?.includes("system:masters")
      ? {
          resourceRules: [EVERYTHING, ...BASIC_RULES],
          nonResourceRules: [DISCOVERY_RULE, PUBLIC_RULE, EVERY_PATH],
          incomplete: false,
        }
      : {
          resourceRules: isKnown(groups) ? BASIC_RULES : [],
          nonResourceRules: pathRules(groups),
          incomplete: false,
        },
  authorize({ user, info }) {
    if (user.groups?.includes("system:masters")) return ALLOWED;
    const isGranted = info.isResourceRequest
      ? isKnown(user.groups) && isBasic(info)
      : pathRules(user.groups).some(
          ({ verbs, nonResourceURLs }) => verbs.includes(info.verb) && isCovered(nonResourceURLs, info.path),
        );
    return isGranted ? ALLOWED : DENIED;
  },
};

function pathRules(groups: UserInfo["groups"]): readonly (typeof PUBLIC_RULE)[] {
  return [
    ...(isKnown(groups) ? [DISCOVERY_RULE] : []),
    PUBLIC_RULE,
    ...(groups?.includes("system:serviceaccounts") ? [ISSUER_RULE] : []),
    ...(groups?.includes("system:monitoring") ? [MONITORING_RULE] : []),
  ];
}

function isCovered(paths: readonly string[], path: string): boolean {
  return paths.some((each) => (each.endsWith("*") ? path.startsWith(each.slice(0, -1)) : path === each));
}

function isKnown(groups: UserInfo["groups"]): boolean {
  return groups?.includes("system:authenticated") ?? false;
}

function isBasic({ verb, group, resource, subresource }: ResourceRequestInfo): boolean {
  return BASIC_RULES.some(
    ({ verbs, apiGroups, resources }) =>
      subresource === "" && verbs.includes(verb) && apiGroups.includes(group) && resources.includes(resource),
  );
}

export function forbidden({ user, info }: AuthorizationAttributes, reason: string): ApiError {
  const message = escapeHtml(deniedText(user, info));
  const resource = info.isResourceRequest
    ? { group: info.group, resource: info.resource }
    : { group: "", resource: "" };
  return newForbidden(
    resource,
    info.isResourceRequest ? info.name : "",
    reason === "" ? message : `${message}: ${reason}`,
  );
}

function deniedText(user: UserInfo, info: RequestInfo): string {
  const who = `User ${goQuote(user.name)} cannot ${info.verb}`;
  if (!info.isResourceRequest) return `${who} path ${goQuote(info.path)}`;
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  const what = `${who} resource ${goQuote(resource)} in API group ${goQuote(info.group)}`;
  return info.namespace === "" ? `${what} at the cluster scope` : `${what} in the namespace ${goQuote(info.namespace)}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
