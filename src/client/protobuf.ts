// The protobuf codec as the client takes it. Import this only where --kube-api-content-type asks for
// it: the tables behind it are heavy.

import { decodeProtobuf, encodeProtobuf, isProtobufKind } from "#api/proto-codec.ts";
import { MessageDecoder } from "#api/proto-decode.ts";
import { decodeWatchEvent } from "#api/proto-watch.ts";
import { SharedValues } from "#api/shared-values.ts";
import type { ProtobufCodec } from "#client/codec.ts";

let sharing: MessageDecoder | undefined;

export const protobufCodec: ProtobufCodec = {
  supports: isProtobufKind,
  encode: encodeProtobuf,
  decode: (bytes: Uint8Array) => decodeProtobuf(bytes),
  decodeWatchEvent: (frame, isLean) => {
    if (!isLean) return decodeWatchEvent(frame);
    sharing ??= new MessageDecoder(new SharedValues());
    return decodeWatchEvent(frame, undefined, sharing);
  },
};
