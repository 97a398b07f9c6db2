// How the messages of a struct are decoded: its fields by their tags, and the places of their values in JSON. A plan is
// created for the first message of its struct. Plans are data, so that one small loop (proto-decode.ts) reads all
// messages.

import { type GoField, type GoStruct, type GoType, goStruct, type OpaqueType } from "#api/go-layout.ts";
import { BYTES } from "#api/proto-reader.ts";
import {
  intOrStringCodec,
  type MessageCodec,
  microTimeCodec,
  quantityCodec,
  rawJsonCodec,
  tagOf,
  timeCodec,
  wireTypeOf,
} from "#api/proto-values.ts";
import { ShareableKind } from "#api/shared-values.ts";

/** The meaning of a field's bytes. */
export const STRING = 0;
export const MESSAGE = 1;
export const LIST = 2;
export const MAP = 3;
/** A message whose JSON is not that of its fields. */
export const OPAQUE = 4;
export const BASE64 = 5;
/** A list that is a separate message (ExtraValue, Verbs): its strings are field 1. */
export const STRINGS = 6;
/** A struct whose fields are among those of its parent in JSON, but not in protobuf. */
export const INLINE = 7;
export const BOOL = 8;
export const INT32 = 9;
export const INT64 = 10;
export const DOUBLE = 11;
/** managedFields: skipped when values are shared. */
export const MANAGED_FIELDS = 12;
/** A schema, or a list of schemas, which wins if it has an element. */
export const SCHEMA_OR_LIST = 13;
export const SCHEMA_OR_STRINGS = 14;
export const SCHEMA_OR_BOOL = 15;

/** Means "omitted in JSON". */
export const OMIT: unique symbol = Symbol("omit");

export class ValuePlan {
  readonly op: number;
  readonly wireType: number;
  /** For messages, opaque values and entries of maps. */
  readonly kind: ShareableKind = new ShareableKind();
  readonly message: MessagePlan | undefined;
  readonly opaque: MessageCodec | undefined;
  /** For the elements of a list, or the values of a map. */
  readonly element: ValuePlan | undefined;
  /** The value in a map if it was not sent; undefined for an empty message. */
  readonly zero: unknown;

  constructor(type: GoType, op: number, element?: ValuePlan) {
    this.op = op;
    this.wireType = op === LIST && element !== undefined ? element.wireType : wireTypeOf(type);
    this.message = op === MESSAGE || op === INLINE ? planOf(structOf(type)) : undefined;
    this.opaque = op === OPAQUE ? opaqueCodec(opaqueOf(type)) : undefined;
    this.element = element;
    this.zero = zeroOf(type);
  }
}

/** A field with its own place in the JSON of its message. */
export interface Leaf {
  readonly slot: number;
  readonly jsonName: string;
  readonly isInline: boolean;
  /** The value that JSON omits; OMIT if no value is omitted. */
  readonly omitted: unknown;
  /** The JSON value if the field was not sent; undefined: the JSON of an empty message. */
  readonly absent: unknown;
  readonly message: MessagePlan | undefined;
}

interface FieldPlan {
  readonly slot: number;
  /** The field's bit in the set of a message's fields: the first 30, and the next. */
  readonly low: number;
  readonly high: number;
  readonly value: ValuePlan;
}

const BITS = 30;
/** The number of field sets whose leaves are cached. Real messages of a kind have few. */
const SETS_MAX = 256;

export class MessagePlan {
  readonly struct: GoStruct;
  readonly leaves: Leaf[] = [];
  readonly #fields: (FieldPlan | undefined)[] = [];
  readonly #sets = new Map<number, readonly Leaf[]>();
  #isMade = false;
  #lastLow = -1;
  #lastHigh = -1;
  #lastLeaves: readonly Leaf[] = [];

  constructor(struct: GoStruct) {
    this.struct = struct;
  }

  /** By their tags. Created on first use, because a struct may contain itself. */
  fields(): readonly (FieldPlan | undefined)[] {
    if (!this.#isMade) this.#make();
    return this.#fields;
  }

  #make(): void {
    this.#isMade = true;
    for (const field of this.struct.fields) {
      if (field.number === 0) continue;
      const value = fieldValue(this.struct, field);
      const slot = this.leaves.length;
      const low = slot < BITS ? 1 << slot : 0;
      const high = slot >= BITS && slot < 2 * BITS ? 1 << (slot - BITS) : 0;
      const plan = { slot, low, high, value };
      this.#put(tagOf(field.number, value.wireType), plan);
      // A repeated scalar may also come packed.
      if (value.op === LIST && value.wireType !== BYTES) this.#put(tagOf(field.number, BYTES), plan);
      this.leaves.push(leafOf(slot, field, value));
    }
  }

  #put(tag: number, plan: FieldPlan): void {
    while (this.#fields.length <= tag) this.#fields.push(undefined);
    this.#fields[tag] = plan;
  }

  /** The leaves that can be in the JSON of a message with these fields. */
  leavesWith(low: number, high: number): readonly Leaf[] {
    if (low === this.#lastLow && high === this.#lastHigh) return this.#lastLeaves;
    const set = high * 2 ** BITS + low;
    let leaves = this.#sets.get(set);
    if (leaves === undefined) {
      leaves = this.leaves.filter(({ slot, absent }) => absent !== OMIT || slot >= 2 * BITS || isIn(slot, low, high));
      if (this.#sets.size < SETS_MAX) this.#sets.set(set, leaves);
    }
    this.#lastLow = low;
    this.#lastHigh = high;
    this.#lastLeaves = leaves;
    return leaves;
  }

  /** The name of the field with this number, whatever its wire type. */
  nameOf(number: number): string | undefined {
    return this.struct.fields.find((field) => field.number === number && number !== 0)?.jsonName;
  }
}

const isIn = (slot: number, low: number, high: number): boolean =>
  ((slot < BITS ? low >>> slot : high >>> (slot - BITS)) & 1) === 1;

const plans = new Map<GoStruct, MessagePlan>();

export function planOf(struct: GoStruct): MessagePlan {
  let plan = plans.get(struct);
  if (plan === undefined) {
    plan = new MessagePlan(struct);
    plans.set(struct, plan);
  }
  return plan;
}

export const schemaPlan = (): MessagePlan => planOf(goStruct("apiextensions.v1", "JSONSchemaProps"));

function fieldValue({ name }: GoStruct, { type, inline, jsonName }: GoField): ValuePlan {
  if (inline) return new ValuePlan(type, INLINE);
  if (type.kind !== "slice" || type.isMessage || type.elem.kind === "uint8") return valuePlan(type);
  const op = name === "v1.ObjectMeta" && jsonName === "managedFields" ? MANAGED_FIELDS : LIST;
  return new ValuePlan(type, op, valuePlan(type.elem));
}

function valuePlan(type: GoType): ValuePlan {
  switch (type.kind) {
    case "pointer":
      return valuePlan(type.elem);
    case "string":
      return new ValuePlan(type, STRING);
    case "bool":
      return new ValuePlan(type, BOOL);
    case "int32":
      return new ValuePlan(type, INT32);
    case "int64":
    case "int":
    case "uint8":
      return new ValuePlan(type, INT64);
    case "float64":
      return new ValuePlan(type, DOUBLE);
    case "struct":
      return new ValuePlan(type, MESSAGE);
    case "opaque":
      return new ValuePlan(type, schemaOps[type.opaque] ?? OPAQUE);
    case "slice":
      return new ValuePlan(type, type.isMessage ? STRINGS : BASE64);
    case "map":
      return new ValuePlan(type, MAP, valuePlan(type.elem));
  }
}

const schemaOps: Partial<Record<OpaqueType, number>> = {
  JSONSchemaPropsOrArray: SCHEMA_OR_LIST,
  JSONSchemaPropsOrStringArray: SCHEMA_OR_STRINGS,
  JSONSchemaPropsOrBool: SCHEMA_OR_BOOL,
};

function structOf(type: GoType): GoStruct {
  if (type.kind === "struct") return type;
  throw new TypeError(`${type.name} is no struct`);
}

function opaqueOf(type: GoType): OpaqueType {
  if (type.kind === "opaque") return type.opaque;
  throw new TypeError(`${type.name} is not opaque`);
}

function opaqueCodec(opaque: OpaqueType): MessageCodec {
  switch (opaque) {
    case "Quantity":
      return quantityCodec;
    case "Time":
      return timeCodec;
    case "MicroTime":
      return microTimeCodec;
    case "IntOrString":
      return intOrStringCodec;
    default:
      return rawJsonCodec;
  }
}

function leafOf(slot: number, { type, jsonName, inline, omitEmpty, omitZero }: GoField, value: ValuePlan): Leaf {
  const omitsZero = omitZero && type.kind === "opaque";
  const canBeEmpty = type.kind !== "struct" && type.kind !== "opaque";
  return {
    slot,
    jsonName,
    isInline: inline,
    omitted: omitsZero ? null : omitEmpty ? emptyOf(type) : OMIT,
    absent: omitsZero || (omitEmpty && canBeEmpty) ? OMIT : zeroOf(type),
    message: value.message,
  };
}

/** The value of the type that is empty for Go; OMIT if there is none. */
function emptyOf(type: GoType): unknown {
  switch (type.kind) {
    case "struct":
    case "opaque":
    case "pointer":
    case "map":
      return OMIT;
    case "slice":
      return type.elem.kind === "uint8" ? "" : null;
    default:
      return zeroOf(type);
  }
}

/** The JSON of the zero value; undefined for a struct, whose fields define it. */
function zeroOf(type: GoType): unknown {
  switch (type.kind) {
    case "string":
      return "";
    case "bool":
      return false;
    case "pointer":
    case "slice":
    case "map":
      return null;
    case "struct":
      return undefined;
    case "opaque":
      return type.opaque === "JSONSchemaPropsOrBool"
        ? false
        : schemaOps[type.opaque] === undefined
          ? opaqueCodec(type.opaque).zero
          : null;
    default:
      return 0;
  }
}
