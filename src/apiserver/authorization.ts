// Authorization: the question to an authorizer, its decision, and the resulting error.
// Upstream: k8s.io/apiserver/pkg/authorization; pkg/endpoints/handlers/responsewriters/errors.go

import { goQuote } from "#api/go-text.ts";
import { type ApiError, newForbidden } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { AccessDecision, AccessRules } from "#kinds/hooks.ts";
import type { RequestInfo } from "./request-info.ts";

export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly info: RequestInfo;
}

export type Decision = AccessDecision;

export interface Authorizer {
  authorize(attributes: AuthorizationAttributes, signal: AbortSignal): Decision | Promise<Decision>;
  /** All rules for a user in a namespace, if the authorizer can list them. */
  rulesFor?(user: UserInfo, namespace: string): AccessRules;
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
