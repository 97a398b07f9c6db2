// Answers to POST requests without storing: subresources that hooks of kinds answer, and reviews.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/create.go, createHandler, of a NamedCreater

import { goTypeOfKind } from "#api/go-layout.ts";
import { apiVersionOf, type KubeObject } from "#api/object.ts";
import { schemaOf } from "#api/schema-table.ts";
import { zeroObject } from "#api/struct-index.ts";
import { decodeTyped } from "#api/typed-decoding.ts";
import { assert } from "#base/assert.ts";
import type { Posted, PostedBody } from "#kinds/hooks.ts";
import type { JsonObject } from "#kinds/parts/defaulting.ts";
import { metadataLabels } from "../builtin/field-labels.ts";
import { postedCall } from "../builtin/kind-server.ts";
import { admissionAttributes } from "../core.ts";
import { decodeObject } from "../decoding/decode-object.ts";
import { readBody } from "../decoding/request-body.ts";
import { managerOf, recordUpdate } from "../managed-fields.ts";
import { postedRules } from "../negotiation-rules.ts";
import type { Endpoint, KindVersion } from "../registry.ts";
import { respondWithObject, respondWithValue } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { wipeSystemFields } from "../write/before-create.ts";
import { matchNamespace } from "../write/namespace-match.ts";
import { parseWriteOptions } from "../write-options.ts";
import type { SubresourceHandler } from "./subresource.ts";

/** `body`: the kind of the posted object; absent: the addressed kind. */
export function posted(hook: Posted, body?: PostedBody): SubresourceHandler {
  const endpoints = new WeakMap<Endpoint, Endpoint>();
  const endpointFor = (addressed: Endpoint): Endpoint => {
    if (body === undefined) return addressed;
    let endpoint = endpoints.get(addressed);
    if (endpoint === undefined) {
      endpoint = endpointOf(addressed, body);
      endpoints.set(addressed, endpoint);
    }
    return endpoint;
  };
  return async (core, call, signal) => {
    const { context } = call;
    const endpoint = endpointFor(call.endpoint);
    const { version } = endpoint;
    const representation = negotiate(context, postedRules(call));
    const bytes = await readBody(context.request, core.limits.bodyBytesMax);
    const options = parseWriteOptions(context.query, "CreateOptions");
    let object = decodeObject(call, bytes, options.fieldValidation, version);
    if (!hook.preservesSystemFields) object = wipeSystemFields(object);
    object = matchNamespace(object, call.endpoint.row.namespaced ? call.namespace : "");
    if (hook.tracksFields) {
      const manager = managerOf(call, options.fieldManager);
      object = recordUpdate(core, { ...call, endpoint }, undefined, object, manager);
    }
    const attributes = { ...admissionAttributes(call, "CREATE", options, { object }), kind: version };
    await core.admission.admit(attributes, signal);
    const hookCall = postedCall(core, call, options.dryRun);
    attributes.object = hook.prepare?.(hookCall, attributes.object ?? object) ?? attributes.object;
    await core.admission.validate(attributes, signal);
    const answer = await hook.answer(hookCall, attributes.object ?? object, signal);
    if (answer.kind === "Status") return respondWithValue(context, representation, answer, 201);
    return respondWithObject(context, endpoint, representation, answer as KubeObject, 201);
  };
}

/** Managed fields are those of the body's kind, not of the addressed object. */
function endpointOf(addressed: Endpoint, body: PostedBody): Endpoint {
  const version = bodyVersion(body);
  const { row } = addressed;
  const strategy = { ...row.strategy, subresources: {} };
  return {
    ...addressed,
    row: { ...row, versions: [version], stored: body, strategy },
    version,
    apiVersion: apiVersionOf(body),
    isStoredVersion: true,
  };
}

const identity = (object: KubeObject): KubeObject => object;

function bodyVersion({ group, version, kind, alsoReads, defaults }: PostedBody): KindVersion {
  const gvk = { group, version, kind };
  const goType = goTypeOfKind(gvk);
  assert(goType !== undefined, `${apiVersionOf(gvk)} ${kind} has no Go type`);
  return {
    ...gvk,
    ...(alsoReads === undefined ? {} : { alsoReads }),
    listKind: `${kind}List`,
    verbs: ["create"],
    subresources: [],
    storageVersionHash: "",
    schema: () => schemaOf(gvk),
    decode: (value, wording) => decodeTyped(goType, value, wording),
    goType,
    zero: () => zeroObject(goType),
    toStored: identity,
    fromStored: identity,
    applyDefaults: (object, now) => (defaults?.(object as JsonObject, { now }) ?? object) as KubeObject,
    fieldLabels: metadataLabels,
  };
}
