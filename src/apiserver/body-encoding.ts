// Encodes response bodies, and sets the headers that every answer has.

import { stringify } from "yaml";
import type { KubeObject } from "#api/object.ts";
import { encodeProtobuf } from "#api/proto-codec.ts";
import type { HttpHeaders, HttpResponse } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import { jsonText } from "./json-text.ts";
import { MEDIA_TYPES, type Representation } from "./representation.ts";
import type { RequestContext } from "./request-context.ts";

const CACHE_CONTROL = "no-cache, private";
const JSON_HEADERS: HttpHeaders = Object.freeze({ "cache-control": CACHE_CONTROL, "content-type": MEDIA_TYPES.json });
const utf8 = new TextEncoder();
/** As upstream: sorted keys, lists not indented, and quotes around strings that YAML 1.1 would misread. */
const YAML_OPTIONS = { sortMapEntries: true, aliasDuplicateObjects: false, indentSeq: false, version: "1.1" } as const;

/** For a client in this process the body is the frozen value itself; otherwise its bytes. */
export function encodeBody(
  context: RequestContext,
  representation: Representation,
  status: number,
  value: unknown,
): HttpResponse {
  if (context.request.direct) {
    freezeShell(value);
    return { status, headers: headersFor(context, MEDIA_TYPES.json), body: { kind: "object", value } };
  }
  const headers = headersFor(context, MEDIA_TYPES[representation.encoding]);
  return { status, headers, body: { kind: "bytes", bytes: encodeValue(representation, value) } };
}

export function encodeValue({ encoding, isPretty }: Representation, value: unknown): Uint8Array<ArrayBuffer> {
  switch (encoding) {
    case "json":
      return utf8.encode(isPretty ? stringifyJson(value, 2) : `${jsonText(value)}\n`);
    case "yaml":
      return utf8.encode(stringify(value, YAML_OPTIONS));
    case "protobuf":
      return encodeProtobuf(value as KubeObject) as Uint8Array<ArrayBuffer>;
  }
}

export function headersFor(context: RequestContext, contentType: string): HttpHeaders {
  const warning = context.warnings.headers;
  if (warning.length === 0 && contentType === MEDIA_TYPES.json) return JSON_HEADERS;
  const headers: Record<string, string | readonly string[]> = {
    "cache-control": CACHE_CONTROL,
    "content-type": contentType,
  };
  if (warning.length > 0) headers.warning = warning;
  return headers;
}

/** Freezes the parts around stored objects, which are already frozen. Lists are not frozen, as in the store. */
function freezeShell(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) freezeShell(item);
  } else if (!Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key in value) freezeShell((value as Record<string, unknown>)[key]);
  }
}
