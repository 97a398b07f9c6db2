// Kubernetes' protobuf: the "k8s\0" envelope around runtime.Unknown, which names the kind of the message. It supports
// all built-in kinds in both directions; in memory objects have their JSON form.
//
// Deviation: a list without items decodes to "items": [] where Go has nil; a server's JSON has [].
// Upstream: k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go

import { CodecError } from "#api/codec-error.ts";
import { ValueError } from "#api/errors.ts";
import { goTypeOfKind } from "#api/go-layout.ts";
import { parseJsonBytes } from "#api/json.ts";
import { apiVersionOf, type GroupVersionKind, type KubeObject, parseApiVersion } from "#api/object.ts";
import { MessageDecoder } from "#api/proto-decode.ts";
import { structEncoder } from "#api/proto-encode.ts";
import { MessagePlan } from "#api/proto-plan.ts";
import { BYTES, type ProtoReader } from "#api/proto-reader.ts";
import { tagOf, writeString } from "#api/proto-values.ts";
import { ProtoWriter } from "#api/proto-writer.ts";

const PREFIX: Uint8Array = new Uint8Array([0x6b, 0x38, 0x73, 0x00]);
const JSON_CONTENT = "application/json";

/** The tags of the envelope, and of the type in it. */
const TYPE_META = tagOf(1, BYTES);
const RAW = tagOf(2, BYTES);
const CONTENT_TYPE = tagOf(4, BYTES);
const API_VERSION = tagOf(1, BYTES);
const KIND = tagOf(2, BYTES);

export function hasProtobufPrefix(bytes: Uint8Array, start = 0, end: number = bytes.length): boolean {
  if (end - start < PREFIX.length) return false;
  for (let index = 0; index < PREFIX.length; index++) if (bytes[start + index] !== PREFIX[index]) return false;
  return true;
}

/**
 * `expected`: used for what the envelope omits, as by upstream's typed clients. If `decoder` shares values, the object
 * must never be changed, and has no managedFields.
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  expected?: GroupVersionKind,
  decoder: MessageDecoder = new MessageDecoder(),
): KubeObject {
  if (bytes.length === 0) throw new CodecError("protobuf", "empty data");
  if (!hasProtobufPrefix(bytes)) {
    throw new CodecError(
      "protobuf",
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  }
  return decodeEnveloped(decoder, decoder.readerOf(bytes), expected);
}

/** The object in the envelope at the reader's position, to the reader's end. */
export function decodeEnveloped(decoder: MessageDecoder, reader: ProtoReader, expected?: GroupVersionKind): KubeObject {
  reader.at += PREFIX.length;
  const { end } = reader;
  let apiVersion = "";
  let kind = "";
  let contentType = "";
  let rawAt = reader.at;
  let rawEnd = reader.at;
  while (reader.at < end) {
    const tag = reader.bits32();
    if (tag === TYPE_META) {
      const typeMetaEnd = reader.contentEnd(reader.at, end);
      reader.end = typeMetaEnd;
      while (reader.at < typeMetaEnd) {
        const innerTag = reader.bits32();
        if (innerTag === API_VERSION) apiVersion = reader.string();
        else if (innerTag === KIND) kind = reader.string();
        else reader.skip(innerTag & 7);
      }
      reader.end = end;
    } else if (tag === RAW) {
      rawEnd = reader.contentEnd(reader.at, end);
      rawAt = reader.at;
      reader.at = rawEnd;
    } else if (tag === CONTENT_TYPE) contentType = reader.string();
    else reader.skip(tag & 7);
  }
  if (contentType === JSON_CONTENT) return parseJsonBytes(reader.bytes.subarray(rawAt, rawEnd)) as KubeObject;
  if (expected !== undefined) {
    apiVersion ||= apiVersionOf(expected);
    kind ||= expected.kind;
  }
  try {
    const object = decoder.decode(rootPlan(apiVersion, kind), reader, rawAt, rawEnd);
    if (object.items === null && kind.endsWith("List")) object.items = [];
    return object;
  } catch (error) {
    throw asCodecError(error);
  }
}

const rootPlans = new Map<string, Map<string, MessagePlan>>();

/** The plan of an object with its kind. */
function rootPlan(apiVersion: string, kind: string): MessagePlan {
  let plan = rootPlans.get(apiVersion)?.get(kind);
  if (plan === undefined) {
    plan = new MessagePlan(requireStruct({ ...parseApiVersion(apiVersion), kind }), { kind, apiVersion });
    const ofVersion = rootPlans.get(apiVersion) ?? new Map<string, MessagePlan>();
    rootPlans.set(apiVersion, ofVersion.set(kind, plan));
  }
  return plan;
}

export function encodeProtobuf(object: KubeObject): Uint8Array {
  try {
    const { apiVersion = "", kind = "" } = object;
    const struct = requireStruct({ ...parseApiVersion(apiVersion), kind });
    const writer = new ProtoWriter();
    // Backwards: contentType, contentEncoding, raw, typeMeta, then the prefix before all of them.
    writeString(writer, 4, "");
    writeString(writer, 3, "");
    const beforeRaw = writer.length;
    structEncoder(struct).write(writer, object as Readonly<Record<string, unknown>>);
    writer.varint(writer.length - beforeRaw);
    writer.tag(2, BYTES);
    const beforeTypeMeta = writer.length;
    writeString(writer, 2, kind);
    writeString(writer, 1, apiVersion);
    writer.varint(writer.length - beforeTypeMeta);
    writer.tag(1, BYTES);
    writer.raw(PREFIX);
    return writer.finish();
  } catch (error) {
    throw asCodecError(error);
  }
}

/** Custom resources have no protobuf form: clients check this before they offer the content type. */
export function isProtobufKind(gvk: GroupVersionKind): boolean {
  return goTypeOfKind(gvk) !== undefined;
}

function requireStruct(gvk: GroupVersionKind): NonNullable<ReturnType<typeof goTypeOfKind>> {
  const { group, version, kind } = gvk;
  if (kind === "") throw new CodecError("protobuf", "Object 'Kind' is missing");
  if (version === "") throw new CodecError("protobuf", "Object 'apiVersion' is missing");
  const struct = goTypeOfKind(gvk);
  if (struct === undefined) {
    const groupVersion = group === "" ? version : `${group}/${version}`;
    throw new CodecError("protobuf", `no kind "${kind}" is registered for version "${groupVersion}"`);
  }
  return struct;
}

/** An invalid quantity or time is reported as an error of the bytes. */
function asCodecError(error: unknown): unknown {
  return error instanceof ValueError ? new CodecError("protobuf", error.message, { cause: error }) : error;
}
