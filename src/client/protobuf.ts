// The protobuf codec as the client takes it. Import this only where --kube-api-content-type asks for
// it: the tables behind it are heavy.

import type { GroupVersionResource, KubeObject } from "#api/object.ts";
import { apiVersionOf } from "#api/object.ts";
import { decodeProtobuf, encodeProtobuf, isProtobufKind } from "#api/proto-codec.ts";
import { decodeWatchEvent } from "#api/proto-watch.ts";
import { resourceOf } from "#api/resource-table.ts";
import type { ProtobufCodec } from "#client/codec.ts";

export const protobufCodec: ProtobufCodec = {
  supports(gvr: GroupVersionResource): boolean {
    const kind = resourceOf(gvr)?.kind;
    return kind !== undefined && isProtobufKind({ ...gvr, kind });
  },
  encode(object: unknown, gvr: GroupVersionResource): Uint8Array {
    return encodeProtobuf(withKind(object as KubeObject, gvr));
  },
  decode: (bytes: Uint8Array) => decodeProtobuf(bytes),
  decodeWatchEvent: (frame: Uint8Array) => decodeWatchEvent(frame),
};

/** Objects from lists and caches carry no kind; the envelope needs one. */
function withKind(object: KubeObject, gvr: GroupVersionResource): KubeObject {
  if (object.kind !== undefined && object.apiVersion !== undefined) return object;
  const kind = resourceOf(gvr)?.kind;
  return { ...object, apiVersion: apiVersionOf(gvr), ...(kind !== undefined && { kind }) };
}
