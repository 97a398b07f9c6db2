// Kubernetes' protobuf: the "k8s\0" envelope around runtime.Unknown, which names the kind of the message. It supports
// all built-in kinds in both directions; in memory objects have their JSON form.
//
// Deviation: a list without items decodes to "items": [] where Go has nil; a server's JSON has [].
// Upstream: k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go

import { CodecError } from "#api/codec-error.ts";
import { ValueError } from "#api/errors.ts";
import { goTypeOfKind } from "#api/go-layout.ts";
import { parseJsonBytes } from "#api/json.ts";
import { type GroupVersionKind, type KubeObject, parseApiVersion } from "#api/object.ts";
import { decodeStruct } from "#api/proto-decode.ts";
import { structEncoder } from "#api/proto-encode.ts";
import { BYTES, ProtoReader } from "#api/proto-reader.ts";
import { eachField, tagOf, writeString } from "#api/proto-values.ts";
import { ProtoWriter } from "#api/proto-writer.ts";
import type { SharedValues } from "#api/shared-values.ts";

const PREFIX: Uint8Array = new Uint8Array([0x6b, 0x38, 0x73, 0x00]);
const JSON_CONTENT = "application/json";

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
  readonly contentType: string;
}

export function hasProtobufPrefix(bytes: Uint8Array): boolean {
  return bytes.length >= PREFIX.length && PREFIX.every((byte, index) => bytes[index] === byte);
}

/**
 * `expected`: used for what the envelope omits, as by upstream's typed clients. With `shared` the object shares strings
 * and messages with others, must never be changed, and has no managedFields.
 */
export function decodeProtobuf(bytes: Uint8Array, expected?: GroupVersionKind, shared?: SharedValues): KubeObject {
  return typed(() => {
    if (bytes.length === 0) throw new CodecError("protobuf", "empty data");
    if (!hasProtobufPrefix(bytes)) {
      throw new CodecError(
        "protobuf",
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
      );
    }
    const envelope = readEnvelope(new ProtoReader(bytes.subarray(PREFIX.length)));
    if (envelope.contentType === JSON_CONTENT) return parseJsonBytes(envelope.raw) as KubeObject;
    const kind = envelope.kind || expected?.kind || "";
    const gv = envelope.apiVersion === "" && expected !== undefined ? expected : parseApiVersion(envelope.apiVersion);
    return decodeMessage(envelope.raw, { group: gv.group, version: gv.version, kind }, shared);
  });
}

/** A message without envelope, such as the raw content of an Unknown. */
function decodeMessage(raw: Uint8Array, gvk: GroupVersionKind, shared: SharedValues | undefined): KubeObject {
  const content = decodeStruct(requireStruct(gvk), raw, shared);
  if (gvk.kind.endsWith("List") && content.items === null) content.items = [];
  return { kind: gvk.kind, apiVersion: gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`, ...content };
}

export function encodeProtobuf(object: KubeObject): Uint8Array {
  return typed(() => {
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
  });
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

function readEnvelope(reader: ProtoReader): Envelope {
  let typeMeta = { apiVersion: "", kind: "" };
  let raw = new Uint8Array();
  let contentType = "";
  eachField(reader, (tag) => {
    if (tag === tagOf(1, BYTES)) typeMeta = reader.message(readTypeMeta);
    else if (tag === tagOf(2, BYTES)) raw = reader.subarray() as Uint8Array<ArrayBuffer>;
    else if (tag === tagOf(4, BYTES)) contentType = reader.string();
    else return false;
    return true;
  });
  return { ...typeMeta, raw, contentType };
}

function readTypeMeta(reader: ProtoReader): { apiVersion: string; kind: string } {
  let apiVersion = "";
  let kind = "";
  eachField(reader, (tag) => {
    if (tag === tagOf(1, BYTES)) apiVersion = reader.string();
    else if (tag === tagOf(2, BYTES)) kind = reader.string();
    else return false;
    return true;
  });
  return { apiVersion, kind };
}

/** An invalid quantity or time is reported as an error of the bytes. */
function typed<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof ValueError) throw new CodecError("protobuf", cause.message, { cause });
    throw cause;
  }
}
