// DELETE of one object.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/delete.go, DeleteResource

import { goStruct } from "#api/go-layout.ts";
import type { DeleteOptions } from "#api/meta.ts";
import { newBadRequest } from "#api/status-error.ts";
import { decodeTyped, TypedDecodingError } from "#api/typed-decoding.ts";
import type { HttpResponse } from "#base/http.ts";
import { checkDeleteOptions } from "#kinds/parts/delete-options.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { givenKind } from "../decoding/given-kind.ts";
import {
  bodyEncoding,
  isEmptyBody,
  parseBody,
  parseErrorText,
  type RequestBody,
  readBody,
} from "../decoding/request-body.ts";
import { negotiationRules } from "../negotiation-rules.ts";
import { respondWithObject, respondWithValue } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { deleteObject } from "../write/delete-object.ts";
import { deleteOptionsOfQuery } from "../write-options.ts";

export async function deleteOne(core: ServerCore, call: ResourceCall, signal: AbortSignal): Promise<HttpResponse> {
  const { context, endpoint } = call;
  const representation = negotiate(context, negotiationRules(call));
  const options = await readDeleteOptions(core, call);
  const { isDeleted, object, status } = await deleteObject(core, call, options, signal);
  const code = !isDeleted && options.orphanDependents === false ? 202 : 200;
  if (object !== undefined) return respondWithObject(context, endpoint, representation, object, code);
  return respondWithValue(context, representation, status, code);
}

/** From the body or, if that is empty, from the query. Throws a 400, 415 or 422. */
export async function readDeleteOptions(core: ServerCore, call: ResourceCall): Promise<DeleteOptions> {
  const { context } = call;
  const body = await readBody(context.request, core.limits.bodyBytesMax);
  const options = isEmptyBody(body) ? deleteOptionsOfQuery(context.query) : decodeOptions(call, body);
  checkDeleteOptions(options);
  return options;
}

function decodeOptions({ context }: ResourceCall, body: RequestBody): DeleteOptions {
  const expected = { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" };
  const encoding = bodyEncoding(context.request, true);
  let value: unknown;
  try {
    ({ value } = parseBody(body, encoding, expected, "bigint"));
    const found = givenKind(value, expected);
    // Any group is accepted, because its DeleteOptions are the same.
    if (found.kind === "unreadable") throw newBadRequest(found.error);
    if (found.kind === "other" && found.given.kind !== "DeleteOptions") throw newBadRequest(found.error);
    const {
      kind: _kind,
      apiVersion: _apiVersion,
      ...options
    } = decodeTyped(goStruct("meta.v1", "DeleteOptions"), value).value as DeleteOptions & { kind?: string };
    return options;
  } catch (error) {
    if (error instanceof TypedDecodingError) throw newBadRequest(error.message);
    const text = parseErrorText(error);
    if (text === undefined) throw error;
    throw newBadRequest(encoding === "json" ? `couldn't get version/kind; json parse error: ${text}` : text);
  }
}
