// Classifies the audited requests of controllers: by identity, play and kind of write.

import type { KubeObject } from "#api/object.ts";
import { type Resource, resourceHandle } from "#api/resource.ts";
import { stringifyJson } from "#base/json.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import type { StageWrite } from "./stage.ts";

export const MANAGER_USER = "system:kube-controller-manager";
const ACCOUNTS = "system:serviceaccount:kube-system:";

const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

export const isWrite = ({ verb }: AuditEvent): boolean => WRITES.has(verb);

/** The audit event of a watch completes only when the watch ends, so its start counts. */
export const isFinished = ({ verb, stage }: AuditEvent): boolean =>
  stage === (verb === "watch" ? "ResponseStarted" : "ResponseComplete");

/** Whether the object is an Event or a Lease: controllers write these on a timer, not by decisions. */
export const isEventOrLease = ({ objectRef }: AuditEvent): boolean =>
  objectRef?.resource === "events" || objectRef?.resource === "leases";

export const isEventWrite = (event: AuditEvent): boolean => isWrite(event) && event.objectRef?.resource === "events";

/** A write that a controller decided on: neither an Event nor a Lease. */
export const isDecision = (event: AuditEvent): boolean => isWrite(event) && !isEventOrLease(event);

/** A write that the server's rules refuse. Conflicts are chance and do not count. */
export const isRefused = (event: AuditEvent): boolean => {
  const { code = 0 } = event.responseStatus ?? {};
  return isWrite(event) && code >= 400 && code !== 409;
};

/** The controller's service account or, under the manager's credentials, the end of the user agent. */
export function identityOf({ user, userAgent = "" }: AuditEvent): string | undefined {
  if (user.username.startsWith(ACCOUNTS)) return user.username.slice(ACCOUNTS.length);
  if (user.username === MANAGER_USER) return userAgent.split("/").at(-1) ?? "";
  return undefined;
}

/**
 * Whether the request is about objects of the play. The play's tag is part of the names of its namespaces and
 * cluster-scoped objects. Lists and watches are judged by the URL alone: their answers contain everything.
 */
export function isAbout(event: AuditEvent, tag: string): boolean {
  const { requestURI, objectRef, verb, requestObject, responseObject } = event;
  if (requestURI.includes(tag)) return true;
  // Discovery lists all kinds, including those of other plays.
  if (objectRef === undefined || verb === "list" || verb === "watch" || verb === "deletecollection") return false;
  return [requestObject, responseObject].some((body) => body !== undefined && stringifyJson(body).includes(tag));
}

/**
 * Whether the request is for the service accounts and tokens of the controllers, which a manager creates when it
 * starts.
 */
export function isForAccounts({ objectRef }: AuditEvent): boolean {
  return objectRef?.namespace === "kube-system" && objectRef.resource === "serviceaccounts";
}

/** Whether the request is about single objects: not a list or watch of a kind, as of informers, and not discovery. */
export function isDirected(event: AuditEvent): boolean {
  if (event.objectRef === undefined) return false;
  return isWrite(event) || event.verb === "get" || event.objectRef.namespace !== undefined;
}

export function writeOf(event: AuditEvent): StageWrite {
  const { objectRef: { resource = "", subresource, namespace = "", name } = {}, responseObject } = event;
  const created = (responseObject as KubeObject | undefined)?.metadata?.name;
  return {
    who: identityOf(event) ?? "",
    verb: event.verb as StageWrite["verb"],
    resource: subresource ? `${resource}/${subresource}` : resource,
    namespace,
    name: name ?? created ?? "",
    code: event.responseStatus?.code ?? 0,
    body: event.requestObject,
  };
}

/** The resource of a request, only good for lists: an audit event names neither kind nor scope. */
/** Reviews are answered and never stored. */
export const isReview = ({ objectRef }: AuditEvent): boolean => objectRef?.resource?.endsWith("reviews") ?? false;

export function listedResource({ objectRef }: AuditEvent): Resource {
  const { apiGroup: group = "", apiVersion: version = "", resource = "" } = objectRef ?? {};
  return resourceHandle({ group, version, resource, kind: "", scope: "Cluster" });
}
