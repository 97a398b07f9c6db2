// /openapi/v2: a document that describes nothing. kubectl wants one before it sends a List or a kind that it
// cannot find; what a document leaves out it does not check, and the server checks it all. Schemas are in v3.
// Deviation: upstream's document has every path and definition.

import { ProtoWriter } from "#api/proto-writer.ts";
import type { HttpResponse } from "#base/http.ts";
import { parseAccept } from "../media-type.ts";
import { headerOf, type RequestContext } from "../request-context.ts";
import { hashOf } from "./document-cache.ts";

const INFO = { title: "Kubernetes", version: "1.36" };
const DOCUMENT = { swagger: "2.0", info: INFO, paths: {} };
const JSON_TEXT = JSON.stringify(DOCUMENT);
const JSON_BYTES = new TextEncoder().encode(JSON_TEXT);
const COMMON_HEADERS = { "cache-control": "no-cache, private", vary: "Accept" };
const PROTOBUF = "com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** Older clients spell it so. */
const PROTOBUF_BEFORE = "com.github.proto-openapi.spec.v2@v1.0+protobuf";

/** Undefined for other paths. */
export function openApiV2Handler({ info, request }: RequestContext): HttpResponse | undefined {
  if (info.path !== "/openapi/v2") return undefined;
  const clauses = parseAccept(headerOf(request, "accept") || "*/*");
  for (const { type, subtype } of clauses) {
    if (type !== "application" && type !== "*") continue;
    if (subtype === "json" || subtype === "*") return answer("application/json", JSON_BYTES);
    if (subtype === PROTOBUF || subtype === PROTOBUF_BEFORE) return answer(`application/${PROTOBUF}`, protobuf());
  }
  return { status: 406, headers: COMMON_HEADERS, body: { kind: "bytes", bytes: new Uint8Array(0) } };
}

function answer(type: string, bytes: Uint8Array): HttpResponse {
  const headers = { ...COMMON_HEADERS, "content-type": type, etag: `"${hashOf(type + JSON_TEXT)}"` };
  return { status: 200, headers, body: { kind: "bytes", bytes } };
}

/** The document as gnostic's openapi.v2.Document, written from its end. */
function protobuf(): Uint8Array {
  const writer = new ProtoWriter();
  const field = (number: number, content: () => void): void => {
    const before = writer.length;
    content();
    writer.varint(writer.length - before);
    writer.tag(number, 2);
  };
  field(8, () => undefined);
  field(2, () => {
    field(2, () => writer.text(INFO.version));
    field(1, () => writer.text(INFO.title));
  });
  field(1, () => writer.text(DOCUMENT.swagger));
  return writer.finish();
}
