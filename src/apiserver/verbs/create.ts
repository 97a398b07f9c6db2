// POST to a collection.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/create.go, createHandler

import type { KubeObject } from "#api/object.ts";
import type { HttpResponse } from "#base/http.ts";
import { admissionAttributes, type ResourceCall, type ServerCore } from "../core.ts";
import { decodeObject } from "../decoding/decode-object.ts";
import { readBody } from "../decoding/request-body.ts";
import { managerOf, recordUpdate } from "../managed-fields.ts";
import { negotiationRules } from "../negotiation-rules.ts";
import { respondWithObject } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { wipeSystemFields } from "../write/before-create.ts";
import { createObject } from "../write/create-object.ts";
import { matchNamespace } from "../write/namespace-match.ts";
import { dedupeOwnerReferences } from "../write/owner-references.ts";
import { parseWriteOptions } from "../write-options.ts";

export async function create(core: ServerCore, call: ResourceCall, signal: AbortSignal): Promise<HttpResponse> {
  const { context, endpoint } = call;
  const representation = negotiate(context, negotiationRules(call));
  const body = await readBody(context.request, core.limits.bodyBytesMax);
  const options = parseWriteOptions(context.query, "CreateOptions");
  let object = decodeObject(call, body, options.fieldValidation, endpoint.version);
  object = matchNamespace(wipeSystemFields(object), call.namespace);
  object = dedupeOwnerReferences(object, context, false);
  object = recordUpdate(core, call, undefined, object, managerOf(call, options.fieldManager));
  const attributes = admissionAttributes(call, "CREATE", options, { object });
  await core.admission.admit(attributes, signal);
  object = dedupeOwnerReferences(attributes.object as KubeObject, context, true);
  await endpoint.row.authorizeWrite?.(call, object, undefined, signal);
  const stored = await createObject(core, call, object, options, signal);
  return respondWithObject(context, endpoint, representation, stored, 201);
}
