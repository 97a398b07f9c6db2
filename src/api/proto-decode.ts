// Protobuf messages to the JSON form: what Go prints after decoding the same bytes. A decoder is
// compiled once for each struct that is met; values are collected in slots, so that keys come out
// in Go's field order and every object of a type has one shape.
//
// Deviation: a message that is sent twice in a singular field replaces the first one; upstream
// merges the two. No encoder writes such bytes.

import { encodeBase64 } from "#api/base64.ts";
import { type GoField, type GoStruct, type GoType, goStruct, type OpaqueType } from "#api/go-layout.ts";
import { BYTES, FIXED64, type ProtoReader, VARINT } from "#api/proto-reader.ts";
import {
  eachField,
  intOrStringCodec,
  type MessageCodec,
  microTimeCodec,
  quantityCodec,
  rawJsonCodec,
  tagOf,
  timeCodec,
} from "#api/proto-values.ts";

type JsonObject = Record<string, unknown>;
/** Reads one occurrence of a field; `previous` is what earlier occurrences gave. */
type Read = (reader: ProtoReader, previous: unknown) => unknown;

const OMIT = Symbol("omit");

interface FieldPlan {
  readonly jsonName: string;
  readonly inline: boolean;
  readonly wireType: number;
  readonly read: Read;
  /** For repeated scalars, which may also come packed. */
  readonly readPacked: Read | undefined;
  /** Is this value left out of JSON? */
  readonly isOmitted: (value: unknown) => boolean;
  /** What stands in JSON if the field was not sent. */
  readonly absent: () => unknown;
}

export interface StructDecoder {
  readonly read: (reader: ProtoReader) => JsonObject;
}

const decoders = new Map<GoStruct, StructDecoder>();

export function structDecoder(struct: GoStruct): StructDecoder {
  const known = decoders.get(struct);
  if (known !== undefined) return known;
  const plans: FieldPlan[] = [];
  const slotOf: number[] = [];
  const read = (reader: ProtoReader): JsonObject => {
    const slots: unknown[] = new Array(plans.length);
    while (reader.at < reader.end) {
      const tag = reader.uint32();
      const slot = slotOf[tag >>> 3];
      if (slot === undefined) reader.skip(tag & 7);
      else slots[slot] = readField(reader, plans[slot] as FieldPlan, tag & 7, slots[slot]);
    }
    return build(plans, slots);
  };
  // Known before its fields are compiled: a type may contain itself.
  const decoder: StructDecoder = { read };
  decoders.set(struct, decoder);
  for (const field of struct.fields) {
    if (field.number === 0) continue;
    slotOf[field.number] = plans.length;
    plans.push(planField(field));
  }
  return decoder;
}

function readField(reader: ProtoReader, plan: FieldPlan, wireType: number, previous: unknown): unknown {
  if (wireType === plan.wireType) return plan.read(reader, previous);
  if (wireType === BYTES && plan.readPacked !== undefined) return plan.readPacked(reader, previous);
  return reader.fail(`wrong wire type ${wireType} for field ${plan.jsonName}`);
}

function build(plans: readonly FieldPlan[], slots: readonly unknown[]): JsonObject {
  const object: JsonObject = {};
  for (let index = 0; index < plans.length; index++) {
    const plan = plans[index] as FieldPlan;
    const sent = slots[index];
    if (sent !== undefined) {
      if (plan.inline) Object.assign(object, sent);
      else if (!plan.isOmitted(sent)) object[plan.jsonName] = sent;
      continue;
    }
    const absent = plan.absent();
    if (plan.inline) Object.assign(object, absent);
    else if (absent !== OMIT) object[plan.jsonName] = absent;
  }
  return object;
}

const never = (): boolean => false;

function planField(field: GoField): FieldPlan {
  const { type } = field;
  const isRepeated = type.kind === "slice" && !type.isMessage && type.elem.kind !== "uint8";
  const wireType = wireTypeOf(isRepeated ? type.elem : type);
  const single = isRepeated ? readerOf(type.elem) : readerOf(type);
  const append: Read = (reader, previous = []) => {
    (previous as unknown[]).push(single(reader, undefined));
    return previous;
  };
  const appendPacked: Read = (reader, previous = []) =>
    reader.message(() => {
      while (reader.at < reader.end) append(reader, previous);
      return previous;
    });
  const omitsZero = field.omitZero && type.kind === "opaque";
  return {
    jsonName: field.jsonName,
    inline: field.inline,
    wireType,
    read: isRepeated ? append : single,
    readPacked: isRepeated && wireType !== BYTES ? appendPacked : undefined,
    isOmitted: omitsZero ? (value) => value === null : field.omitEmpty ? isEmptyOf(type) : never,
    absent: omitsZero || (field.omitEmpty && canBeEmpty(type)) ? () => OMIT : zeroOf(type),
  };
}

function wireTypeOf(type: GoType): number {
  switch (type.kind) {
    case "pointer":
      return wireTypeOf(type.elem);
    case "bool":
    case "int32":
    case "int64":
    case "int":
    case "uint8":
      return VARINT;
    case "float64":
      return FIXED64;
    default:
      return BYTES;
  }
}

function readerOf(type: GoType): Read {
  switch (type.kind) {
    case "string":
      return (reader) => reader.string();
    case "bool":
      return (reader) => reader.bool();
    case "int32":
      return (reader) => reader.int32();
    case "int64":
    case "int":
    case "uint8":
      return (reader) => reader.int64();
    case "float64":
      return (reader) => reader.float64();
    case "pointer":
      return readerOf(type.elem);
    case "struct": {
      const decoder = structDecoder(type);
      return (reader) => reader.message(decoder.read);
    }
    case "opaque": {
      const { read } = opaqueDecoder(type.opaque);
      return (reader) => reader.message(read);
    }
    case "slice":
      return type.isMessage ? (reader) => reader.message(readItems) : (reader) => encodeBase64(reader.subarray());
    case "map":
      return mapReader(type.elem);
  }
}

/** A list that is a message of its own (ExtraValue, Verbs): its strings are field 1. */
function readItems(reader: ProtoReader): string[] | null {
  const items: string[] = [];
  eachField(reader, (tag) => tag === tagOf(1, BYTES) && items.push(reader.string()) > 0);
  return items.length === 0 ? null : items;
}

function mapReader(elem: GoType): Read {
  const readValue = readerOf(elem);
  const zero = elem.kind === "slice" && !elem.isMessage ? () => "" : zeroOf(elem);
  const valueTag = tagOf(2, wireTypeOf(elem));
  const readEntry = (reader: ProtoReader): { key: string; value: unknown } => {
    let key = "";
    let value: unknown;
    eachField(reader, (tag) => {
      if (tag === tagOf(1, BYTES)) key = reader.string();
      else if (tag === valueTag) value = readValue(reader, undefined);
      else return false;
      return true;
    });
    return { key, value: value === undefined ? zero() : value };
  };
  return (reader, previous = {}) => {
    const { key, value } = reader.message(readEntry);
    setOwn(previous as JsonObject, key, value);
    return previous;
  };
}

/** Plain assignment to "__proto__" would change the object's prototype. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}

function canBeEmpty(type: GoType): boolean {
  return type.kind !== "struct" && type.kind !== "opaque";
}

function isEmptyOf(type: GoType): (value: unknown) => boolean {
  switch (type.kind) {
    case "struct":
    case "opaque":
    case "pointer":
      return never;
    case "bool":
      return (value) => value === false;
    case "string":
      return (value) => value === "";
    case "slice":
      return type.elem.kind === "uint8" ? (value) => value === "" : (value) => value === null;
    case "map":
      return never;
    default:
      return (value) => value === 0;
  }
}

/** Makes a new zero each time: what it returns ends up in somebody's object. */
function zeroOf(type: GoType): () => unknown {
  switch (type.kind) {
    case "string":
      return () => "";
    case "bool":
      return () => false;
    case "pointer":
    case "slice":
    case "map":
      return () => null;
    case "struct": {
      const decoder = structDecoder(type);
      return () => decoder.read(emptyReader);
    }
    case "opaque": {
      const { zero } = opaqueDecoder(type.opaque);
      return () => zero;
    }
    default:
      return () => 0;
  }
}

const emptyReader = { at: 0, end: 0 } as ProtoReader;

function opaqueDecoder(opaque: OpaqueType): Pick<MessageCodec, "zero" | "read"> {
  switch (opaque) {
    case "Quantity":
      return quantityCodec;
    case "Time":
      return timeCodec;
    case "MicroTime":
      return microTimeCodec;
    case "IntOrString":
      return intOrStringCodec;
    case "FieldsV1":
    case "JSON":
    case "RawExtension":
      return rawJsonCodec;
    case "JSONSchemaPropsOrArray":
      return { zero: null, read: (reader) => readAlternatives(reader, (each) => each.message(schemaDecoder().read)) };
    case "JSONSchemaPropsOrStringArray":
      return { zero: null, read: (reader) => readAlternatives(reader, (each) => each.string()) };
    case "JSONSchemaPropsOrBool":
      return { zero: false, read: readSchemaOrBool };
  }
}

const schemaDecoder = (): StructDecoder => structDecoder(goStruct("apiextensions.v1", "JSONSchemaProps"));

/** A schema as field 1, or a list as field 2, which wins if it has any element. */
function readAlternatives(reader: ProtoReader, readElement: (reader: ProtoReader) => unknown): unknown {
  const list: unknown[] = [];
  let schema: unknown = null;
  eachField(reader, (tag) => {
    if (tag === tagOf(1, BYTES)) schema = reader.message(schemaDecoder().read);
    else if (tag === tagOf(2, BYTES)) list.push(readElement(reader));
    else return false;
    return true;
  });
  return list.length > 0 ? list : schema;
}

function readSchemaOrBool(reader: ProtoReader): unknown {
  let allows = false;
  let schema: unknown;
  eachField(reader, (tag) => {
    if (tag === tagOf(1, VARINT)) allows = reader.bool();
    else if (tag === tagOf(2, BYTES)) schema = reader.message(schemaDecoder().read);
    else return false;
    return true;
  });
  return schema ?? allows;
}
