// Routes a request's path to its handler. Unknown paths are 404; known paths with another method are 405, as a router
// of path templates would answer.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go, registerResourceHandlers

import type { Verb } from "#api/resource-table.ts";
import { newBadRequest, newMethodNotSupported, newNotFound } from "#api/status-error.ts";
import type { ResourceCall, ServerCore } from "./core.ts";
import { methodNotAllowed, routeNotFound } from "./errors.ts";
import type { Endpoint, Registry } from "./registry.ts";
import type { RequestContext } from "./request-context.ts";
import type { ResourceRequestInfo } from "./request-info.ts";
import type { SubresourceHandler } from "./subresources/subresource.ts";
import { create } from "./verbs/create.ts";
import { deleteOne } from "./verbs/delete.ts";
import { deleteCollection } from "./verbs/delete-collection.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { getObserved, listObserved } from "./verbs/observed.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";

export interface Route {
  readonly call: ResourceCall;
  readonly handle: SubresourceHandler;
  readonly place: Place["kind"];
}

interface Place {
  readonly kind: "collection" | "everywhere" | "object" | "subresource";
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** Throws a 404 or 405. */
export function routeResource(core: ServerCore, context: RequestContext, info: ResourceRequestInfo): Route {
  const endpoint = core.registry.endpoint(info.group, info.version, info.resource);
  const place = endpoint && placeOf(endpoint, info);
  if (endpoint === undefined || place === undefined) throw routeNotFound();
  const call: ResourceCall = {
    context,
    info,
    endpoint,
    namespace: place.namespace,
    name: place.name,
    subresource: place.subresource,
  };
  const handle = place.kind === "subresource" ? subresourceHandler(call) : verbHandler(call, place.kind);
  return { call, handle, place: place.kind };
}

/**
 * Custom kinds pass on unknown paths, and the answer is a plain 404.
 * Upstream: apiextensions-apiserver/pkg/apiserver/customresource_handler.go, ServeHTTP
 */
export function isUnknownToCustomKinds(registry: Registry, info: ResourceRequestInfo): boolean {
  const endpoint = registry.endpoint(info.group, info.version, info.resource);
  if (endpoint === undefined) return registry.isCustomGroup(info.group);
  const { isCustom, namespaced } = endpoint.row;
  if (!isCustom || namespaced === (info.namespace !== "")) return false;
  return !namespaced || (info.verb !== "list" && info.verb !== "watch");
}

/** Undefined: this kind has no such path. */
function placeOf({ row }: Endpoint, info: ResourceRequestInfo): Place | undefined {
  const { segments } = info;
  if (segments.includes("")) return undefined;
  const isInNamespace = row.namespaced && segments[0] === "namespaces" && segments.length > 2;
  const [resource, name = "", subresource = "", ...more] = isInNamespace ? segments.slice(2) : segments;
  if (resource !== row.resource || (more.length > 0 && !CONNECTED.has(subresource))) return undefined;
  const namespace = isInNamespace ? (segments[1] as string) : "";
  if (name === "") {
    if (row.namespaced && !isInNamespace) return { kind: "everywhere", namespace, name: info.name, subresource };
    // A field selector on the name turns a list or watch into one of that name.
    return { kind: "collection", namespace, name: info.name, subresource };
  }
  if (row.namespaced && !isInNamespace) return undefined;
  return { kind: subresource === "" ? "object" : "subresource", namespace, name, subresource };
}

/** Subresources with a path after their name. */
const CONNECTED: ReadonlySet<string> = new Set(["proxy"]);

const COLLECTION: Readonly<Record<string, Verb>> = {
  __proto__: null as never,
  GET: "list",
  POST: "create",
  DELETE: "deletecollection",
};
const EVERYWHERE: Readonly<Record<string, Verb>> = { __proto__: null as never, GET: "list" };
const OBJECT: Readonly<Record<string, Verb>> = {
  __proto__: null as never,
  GET: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const SUBRESOURCE: Readonly<Record<string, Verb>> = { ...OBJECT, __proto__: null as never, POST: "create" };

const HANDLERS: Readonly<Record<Verb, SubresourceHandler>> = {
  create,
  delete: deleteOne,
  deletecollection: deleteCollection,
  get,
  list,
  patch,
  update,
  watch,
};

function verbHandler(call: ResourceCall, kind: "collection" | "everywhere" | "object"): SubresourceHandler {
  const { endpoint, context, info } = call;
  const { method } = context.request;
  const verbs = kind === "object" ? OBJECT : kind === "collection" ? COLLECTION : EVERYWHERE;
  if (!Object.values(verbs).some((verb) => endpoint.version.verbs.includes(verb))) throw routeNotFound();
  let verb = verbs[method];
  if (info.verb === "watch" && method === "GET") verb = "watch";
  if (verb === undefined && endpoint.row.isCustom) verb = verbWithoutRoute(method);
  if (verb === "watch" && endpoint.row.observed !== undefined) return listObserved;
  if (verb === undefined || !endpoint.version.verbs.includes(verb)) throw methodNotAllowed();
  if (verb === "create" && endpoint.row.virtual !== undefined) return endpoint.row.virtual;
  if (endpoint.row.observed !== undefined) return verb === "list" ? listObserved : getObserved;
  return HANDLERS[verb];
}

/** Custom resources have verbs instead of routes: the method decides, and the name is missing. */
function verbWithoutRoute(method: string): Verb | undefined {
  if (method === "PUT" || method === "PATCH") throw newBadRequest("name must be provided");
  return method === "POST" ? "create" : undefined;
}

function subresourceHandler(call: ResourceCall): SubresourceHandler {
  const { endpoint, context, subresource } = call;
  const served = endpoint.version.subresources.find(({ name }) => name === subresource);
  const { isCustom } = endpoint.row;
  if (served === undefined) throw isCustom ? newNotFound(endpoint.groupResource, call.name) : routeNotFound();
  const verb = SUBRESOURCE[context.request.method];
  if (verb === undefined || !served.verbs.includes(verb)) {
    throw isCustom ? newMethodNotSupported(endpoint.groupResource, call.info.verb) : methodNotAllowed();
  }
  const own = endpoint.row.subresources.get(subresource);
  if (own !== undefined) return own;
  if (verb === "get" || verb === "update" || verb === "patch") return HANDLERS[verb];
  throw methodNotAllowed();
}
