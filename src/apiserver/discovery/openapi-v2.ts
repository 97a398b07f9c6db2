// /openapi/v2: the whole API in one document, in JSON or protobuf. Created on demand and after changes of the kinds.
// Upstream: k8s.io/kube-openapi/pkg/handler

import type { HttpResponse } from "#base/http.ts";
import type { ServerCore } from "../core.ts";
import { parseAccept } from "../media-type.ts";
import { headerOf, type RequestContext } from "../request-context.ts";
import { type CachedDocument, DocumentCache } from "./document-cache.ts";
import { openApiV2Document } from "./openapi-v2-document.ts";
import { openApiV2Protobuf } from "./openapi-v2-protobuf.ts";

const COMMON_HEADERS = { "cache-control": "no-cache, private", vary: ["Accept-Encoding", "Accept"] };
const PROTOBUF = "com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The spelling of older clients. */
const PROTOBUF_BEFORE = "com.github.proto-openapi.spec.v2@v1.0+protobuf";

/** Undefined for other paths. */
export function openApiV2Handler(core: ServerCore): (context: RequestContext) => HttpResponse | undefined {
  const documents = new DocumentCache(core.registry);
  const encoded = new WeakMap<CachedDocument, Uint8Array>();
  return (context) => {
    if (context.info.path !== "/openapi/v2") return undefined;
    for (const { type, subtype } of parseAccept(headerOf(context.request, "accept") || "*/*")) {
      if (type !== "application" && type !== "*") continue;
      const isJson = subtype === "json" || subtype === "*";
      if (!isJson && subtype !== PROTOBUF && subtype !== PROTOBUF_BEFORE) continue;
      const document = documents.get("v2", openApiV2Document);
      if (isJson) return answer(context, "application/json", document.etag, document.bytes);
      const bytes = encoded.get(document) ?? openApiV2Protobuf(document.value as never);
      encoded.set(document, bytes);
      return answer(context, `application/${PROTOBUF}`, `${document.etag}P`, bytes);
    }
    return { status: 406, headers: COMMON_HEADERS, body: { kind: "bytes", bytes: new Uint8Array(0) } };
  };
}

function answer({ request }: RequestContext, type: string, tag: string, bytes: Uint8Array): HttpResponse {
  const etag = `"${tag}"`;
  if (headerOf(request, "if-none-match") === etag)
    return { status: 304, headers: { ...COMMON_HEADERS, etag }, body: { kind: "bytes", bytes: new Uint8Array(0) } };
  return { status: 200, headers: { ...COMMON_HEADERS, "content-type": type, etag }, body: { kind: "bytes", bytes } };
}
