// PUT of one object or of an updating subresource.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/update.go, UpdateResource

import type { KubeObject } from "#api/object.ts";
import { newBadRequest } from "#api/status-error.ts";
import type { HttpResponse } from "#base/http.ts";
import type { UpdateStrategy } from "#kinds/strategy.ts";
import { forbidden } from "../authorization.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { decodeObject } from "../decoding/decode-object.ts";
import { readBody } from "../decoding/request-body.ts";
import { methodNotAllowed } from "../errors.ts";
import { managerOf, recordUpdate } from "../managed-fields.ts";
import { negotiationRules } from "../negotiation-rules.ts";
import { respondWithObject } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { matchNamespace } from "../write/namespace-match.ts";
import { dedupeOwnerReferences } from "../write/owner-references.ts";
import { updateObject } from "../write/update-object.ts";
import { parseWriteOptions, type WriteOptions } from "../write-options.ts";

export async function update(core: ServerCore, call: ResourceCall, signal: AbortSignal): Promise<HttpResponse> {
  const { context, endpoint } = call;
  const representation = negotiate(context, negotiationRules(call));
  const { options, desired, uid } = await desiredByPut(core, call);
  const { object, isCreated } = await updateObject(
    core,
    call,
    {
      options,
      rules: updateRules(call),
      forceAllowCreate: false,
      uid,
      authorizeCreate: () => authorizeCreate(core, call, signal),
      desired,
    },
    signal,
  );
  return respondWithObject(context, endpoint, representation, object, isCreated ? 201 : 200);
}

export interface Desired {
  readonly options: WriteOptions;
  /** The desired object, given the existing one. */
  desired(existing: KubeObject | undefined): KubeObject;
  /** The uid that the client requires; "" for any. */
  readonly uid: string;
}

export async function desiredByPut(core: ServerCore, call: ResourceCall): Promise<Desired> {
  const { context, endpoint } = call;
  const body = await readBody(context.request, core.limits.bodyBytesMax);
  const options = parseWriteOptions(context.query, "UpdateOptions");
  let given = decodeObject(call, body, options.fieldValidation, endpoint.version);
  given = matchNamespace(given, endpoint.row.namespaced ? call.namespace : "");
  checkObjectName(call, given);
  const wanted = dedupeOwnerReferences(given, context, false);
  const manager = managerOf(call, options.fieldManager);
  return {
    options,
    uid: wanted.metadata?.uid ?? "",
    desired: (existing) => recordUpdate(core, call, existing, wanted, manager),
  };
}

/** The rules of the main resource or of the call's subresource. */
export function updateRules({ endpoint, subresource }: ResourceCall): UpdateStrategy {
  const { strategy } = endpoint.row;
  if (subresource === "") return strategy;
  const rules = Object.hasOwn(strategy.subresources, subresource) ? strategy.subresources[subresource] : undefined;
  if (rules === undefined) throw methodNotAllowed();
  return rules;
}

/** Upstream: handlers/rest.go, checkName */
export function checkObjectName(call: ResourceCall, object: KubeObject): void {
  const name = object.metadata?.name ?? "";
  if (name === "") {
    throw newBadRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== call.name) {
    throw newBadRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`);
  }
}

/** A write that creates needs permission to create. Upstream: handlers/update.go, withAuthorization */
export async function authorizeCreate(core: ServerCore, call: ResourceCall, signal: AbortSignal): Promise<void> {
  const attributes = { user: call.context.user, info: { ...call.info, verb: "create" } };
  const decision = await core.authorizer.authorize(attributes, signal);
  if (!decision.isAllowed) throw forbidden(attributes, decision.reason);
}
