// GET of one object.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go, GetResource

import { bareFailure, newBadRequest, newResourceVersionTooLarge } from "#api/status-error.ts";
import type { HttpResponse } from "#base/http.ts";
import { findObject } from "../addressed-object.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { negotiationRules } from "../negotiation-rules.ts";
import { respondWithObject, respondWithValue, versioned } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { parseRevision, waitForRevision } from "../resource-version.ts";

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
