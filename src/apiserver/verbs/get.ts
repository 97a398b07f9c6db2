// GET of one object.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go, GetResource

import { isPathSegmentName } from "#api/names.ts";
import { newBadRequest, newNotFound, newResourceVersionTooLarge } from "#api/status-error.ts";
import type { HttpResponse } from "#base/http.ts";
import { keyOf, type ResourceCall, type ServerCore } from "../core.ts";
import { bareFailure } from "../errors.ts";
import { respondWithObject, respondWithValue, versioned } from "../rendering.ts";
import { ACCEPTED_TYPES, type NegotiationRules, negotiate, STREAM_TYPES } from "../representation.ts";
import { parseRevision, waitForRevision } from "../resource-version.ts";
import type { StoredVersion } from "../storage/storage.ts";

export async function get(core: ServerCore, call: ResourceCall, signal: AbortSignal): Promise<HttpResponse> {
  const { context, endpoint } = call;
  const representation = negotiate(context, negotiationRules(call));
  if (!context.query.isEmpty) {
    if (context.query.flag("export")) {
      throw newBadRequest("the export parameter, deprecated since v1.14, is no longer supported");
    }
    const parsed = parseRevision(context.query.text("resourceVersion"));
    const { isUncached } = endpoint.row;
    if ("error" in parsed && isUncached) throw newBadRequest(`invalid resource version: ${parsed.error}`);
    if ("error" in parsed) throw bareFailure(500, "", parsed.error);
    const isAhead = parsed.revision > core.storage.revision;
    if (isAhead && isUncached)
      throw newResourceVersionTooLarge(String(parsed.revision), String(core.storage.revision), 0);
    if (isAhead) await waitForRevision(core, parsed.revision, signal);
  }
  const stored = findObject(core, call);
  if (representation.shape.kind === "object")
    return respondWithValue(context, representation, versioned(endpoint, stored));
  return respondWithObject(context, endpoint, representation, stored.object);
}

/** The object that the call addresses; throws a 404 without one and a 400 for a name that cannot be one. */
export function findObject(core: ServerCore, call: ResourceCall): StoredVersion {
  const { endpoint, namespace, name } = call;
  const stored = core.tableOf(endpoint.row).get(keyOf(endpoint.row, namespace, name));
  if (stored !== undefined) return stored;
  checkName(name);
  throw newNotFound(endpoint.groupResource, name);
}

/** Upstream: pkg/registry/generic/registry/store.go, NamespaceKeyFunc */
export function checkName(name: string): void {
  const complaints = isPathSegmentName(name);
  if (complaints.length > 0) throw newBadRequest(`Name parameter invalid: "${name}": ${complaints.join(";")}`);
}

export function negotiationRules({ endpoint, subresource }: ResourceCall): NegotiationRules {
  if (endpoint.row.isCustom) return CUSTOM;
  return endpoint.row.unprintedSubresources.includes(subresource) ? UNPRINTED : BUILTIN;
}

/** Of a collection, which can be watched as well. */
export function collectionRules({ endpoint }: ResourceCall): NegotiationRules {
  return endpoint.row.isCustom ? CUSTOM : COLLECTION;
}

/** Of what is posted and never kept: nobody prints it. */
export function postedRules(call: ResourceCall): NegotiationRules {
  return { ...negotiationRules(call), allowsTable: false };
}

const BUILTIN = { allowsProtobuf: true, allowsTransform: true };
const COLLECTION = { ...BUILTIN, offered: [...ACCEPTED_TYPES, ...STREAM_TYPES] };
const UNPRINTED = { ...BUILTIN, allowsTable: false };
const CUSTOM = { allowsProtobuf: false, allowsTransform: true, hasRouter: false };
