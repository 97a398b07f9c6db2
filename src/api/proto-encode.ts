// Encodes the JSON form to protobuf messages, byte for byte like upstream's encoder: fields in the order of their
// numbers, and every field that is not a pointer, list or map is written even if zero. An encoder is compiled once for
// each struct. Unknown fields are left out.

import { decodeBase64 } from "#api/base64.ts";
import { CodecError } from "#api/codec-error.ts";
import { type GoField, type GoStruct, type GoType, goStruct, type OpaqueType } from "#api/go-layout.ts";
import { isInt64 } from "#api/int64.ts";
import { BYTES, VARINT } from "#api/proto-reader.ts";
import {
  intOrStringCodec,
  microTimeCodec,
  quantityCodec,
  rawJsonCodec,
  timeCodec,
  wireTypeOf,
  writeString,
} from "#api/proto-values.ts";
import type { ProtoWriter } from "#api/proto-writer.ts";

type JsonObject = Readonly<Record<string, unknown>>;
/** Writes a value with its length, if any, but without its tag. */
type Write = (writer: ProtoWriter, value: unknown) => void;

export interface StructEncoder {
  /** The content alone: no tag, no length. */
  readonly write: (writer: ProtoWriter, object: JsonObject) => void;
}

const encoders = new Map<GoStruct, StructEncoder>();
const noFields: JsonObject = {};

export function structEncoder(struct: GoStruct): StructEncoder {
  const known = encoders.get(struct);
  if (known !== undefined) return known;
  const fields: ((writer: ProtoWriter, object: JsonObject) => void)[] = [];
  const encoder: StructEncoder = {
    write(writer, object) {
      for (const field of fields) field(writer, object);
    },
  };
  // Registered before its fields are compiled: a type may contain itself.
  encoders.set(struct, encoder);
  // The writer works backwards: the last field comes first.
  for (const field of struct.fields.filter(({ number }) => number > 0).sort((a, b) => b.number - a.number)) {
    fields.push(fieldWriter(struct, field));
  }
  return encoder;
}

function fieldWriter(struct: GoStruct, field: GoField): (writer: ProtoWriter, object: JsonObject) => void {
  const { jsonName, number, inline } = field;
  const where = `${struct.name}.${field.goName}`;
  const put = presentWriter(field.type, number, where);
  if (inline) return put;
  return (writer, object) => {
    const value = Object.hasOwn(object, jsonName) ? object[jsonName] : undefined;
    put(writer, value === null ? undefined : value);
  };
}

/** Writes a field with its tags; undefined means that it is absent in JSON. */
function presentWriter(type: GoType, number: number, where: string): Write {
  if (type.kind === "pointer" || (type.kind === "slice" && type.elem.kind === "uint8")) {
    const put = tagged(type.kind === "pointer" ? type.elem : type, number, where);
    return (writer, value) => {
      if (value !== undefined) put(writer, value);
    };
  }
  if (type.kind === "slice" && !type.isMessage) {
    const put = tagged(type.elem, number, where);
    return (writer, value = []) => {
      const list = Array.isArray(value) ? value : refuse(where, "a list", value);
      for (let index = list.length - 1; index >= 0; index--) put(writer, list[index] ?? undefined);
    };
  }
  if (type.kind === "map") return mapWriter(type.elem, number, where);
  return tagged(type, number, where);
}

function tagged(type: GoType, number: number, where: string): Write {
  const write = valueWriter(type, where);
  const wireType = wireTypeOf(type);
  return (writer, value) => {
    write(writer, value);
    writer.tag(number, wireType);
  };
}

function mapWriter(elem: GoType, number: number, where: string): Write {
  const putValue = tagged(elem, 2, where);
  const writeEntry = delimited((writer, [key, value]: [string, unknown]) => {
    putValue(writer, value ?? undefined);
    writeString(writer, 1, key);
  });
  return (writer, value = noFields) => {
    for (const entry of Object.entries(objectOf(where, value)).sort(byKey).reverse()) {
      writeEntry(writer, entry);
      writer.tag(number, BYTES);
    }
  };
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function delimited<T>(write: (writer: ProtoWriter, value: T) => void): (writer: ProtoWriter, value: T) => void {
  return (writer, value) => {
    const before = writer.length;
    write(writer, value);
    writer.varint(writer.length - before);
  };
}

function valueWriter(type: GoType, where: string): Write {
  switch (type.kind) {
    case "string":
      return delimited((writer, value = "") =>
        writer.text(typeof value === "string" ? value : refuse(where, "a string", value)),
      );
    case "bool":
      return (writer, value = false) =>
        writer.varint(typeof value === "boolean" ? Number(value) : refuse(where, "a boolean", value));
    case "int32":
      return (writer, value = 0) =>
        writer.int64(
          (value as number) === ((value as number) | 0) ? (value as number) : refuse(where, "an int32", value),
        );
    case "int64":
    case "int":
    case "uint8":
      return (writer, value = 0) => writer.int64(isInt64(value) ? value : refuse(where, "an int64", value));
    case "float64":
      return (writer, value = 0) =>
        writer.float64(
          typeof value === "number" || typeof value === "bigint" ? Number(value) : refuse(where, "a number", value),
        );
    case "pointer":
      return valueWriter(type.elem, where);
    case "struct": {
      const encoder = structEncoder(type);
      return delimited((writer, value = noFields) => encoder.write(writer, objectOf(where, value)));
    }
    case "opaque":
      return delimited(opaqueWriter(type.opaque, where));
    case "slice":
      return type.isMessage ? delimited(itemsWriter(where)) : bytesWriter(where);
    case "map":
      return refuse(where, "no map inside a list or map", type.name);
  }
}

function bytesWriter(where: string): Write {
  return delimited((writer, value = "") =>
    writer.raw(decodeBase64(typeof value === "string" ? value : refuse(where, "base64", value))),
  );
}

/** A list that is a separate message (ExtraValue, Verbs): its strings are field 1. */
function itemsWriter(where: string): Write {
  return (writer, value = []) => {
    const list = Array.isArray(value) ? value : refuse(where, "a list", value);
    for (let index = list.length - 1; index >= 0; index--) {
      writeString(writer, 1, typeof list[index] === "string" ? list[index] : refuse(where, "a string", list[index]));
    }
  };
}

function opaqueWriter(opaque: OpaqueType, where: string): Write {
  switch (opaque) {
    case "Quantity":
      return quantityCodec.write;
    case "Time":
      return timeCodec.write;
    case "MicroTime":
      return microTimeCodec.write;
    case "IntOrString":
      return intOrStringCodec.write;
    case "FieldsV1":
    case "JSON":
    case "RawExtension":
      return rawJsonCodec.write;
    case "JSONSchemaPropsOrArray":
      return alternativesWriter((writer, schema) => writeSchema(writer, 2, schema), where);
    case "JSONSchemaPropsOrStringArray":
      return alternativesWriter((writer, text) => writeString(writer, 2, String(text)), where);
    case "JSONSchemaPropsOrBool":
      return (writer, value = false) => {
        if (typeof value === "object") writeSchema(writer, 2, objectOf(where, value));
        writer.varint(value === false ? 0 : 1);
        writer.tag(1, VARINT);
      };
  }
}

function alternativesWriter(writeElement: Write, where: string): Write {
  return (writer, value) => {
    if (Array.isArray(value)) for (const element of value.toReversed()) writeElement(writer, element);
    else if (value !== undefined && value !== null) writeSchema(writer, 1, objectOf(where, value));
  };
}

function writeSchema(writer: ProtoWriter, number: number, schema: unknown): void {
  const encoder = structEncoder(goStruct("apiextensions.v1", "JSONSchemaProps"));
  delimited(encoder.write)(writer, objectOf("JSONSchemaProps", schema));
  writer.tag(number, BYTES);
}

function objectOf(where: string, value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : refuse(where, "an object", value);
}

function refuse(where: string, wanted: string, value: unknown): never {
  const found = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  throw new CodecError("protobuf", `protobuf: ${where} must be ${wanted}, not ${found}`);
}
