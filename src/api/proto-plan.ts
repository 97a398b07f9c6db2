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
import { assert } from "#base/assert.ts";

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
/** A list of numbers, which may come in one piece. */
export const NUMBERS = 12;
/** managedFields: skipped when values are shared. */
export const MANAGED_FIELDS = 13;
/** A schema, or a list of schemas, which wins if it has an element. */
export const SCHEMA_OR_LIST = 14;
export const SCHEMA_OR_STRINGS = 15;
export const SCHEMA_OR_BOOL = 16;

/** A set of slots is two integers with this many bits each. The largest struct has 44 fields. */
const BITS = 30;
/** The number of field sets whose leaves are cached. Real messages of a kind have few. */
const SETS_MAX = 256;

/** A field of a message, an element of a list, or a value of a map. */
export class ValuePlan {
  readonly op: number;
  readonly wireType: number;
  /** For strings, messages, opaque values, lists and maps. */
  readonly kind: ShareableKind = new ShareableKind();
  readonly message: MessagePlan | undefined;
  readonly opaque: MessageCodec | undefined;
  /** For the elements of a list, or the values of a map. */
  readonly element: ValuePlan | undefined;
  /** The value in a map if it was not sent; undefined for an empty message. */
  readonly zero: unknown;

  constructor(type: GoType, op: number, element?: ValuePlan) {
    const isList = op === LIST || op === NUMBERS || op === MANAGED_FIELDS;
    this.op = op;
    this.wireType = isList && element !== undefined ? element.wireType : wireTypeOf(type);
    this.message = op === MESSAGE ? planOf(structOf(type)) : undefined;
    this.opaque = op === OPAQUE ? opaqueCodec(opaqueOf(type)) : undefined;
    this.element = element;
    this.zero = zeroOf(type);
  }
}

export class FieldPlan {
  /** LIST for maps and managedFields, too. */
  readonly op: number;
  readonly tag: number;
  /** The place of the value among those of its message. */
  readonly slot: number;
  /** The slot's bit in a set of slots: the first 30, and the next. */
  readonly low: number;
  readonly high: number;
  /** Whether JSON omits "", 0, false and null. */
  readonly omitsZero: boolean;
  readonly value: ValuePlan;
  /** Of INLINE: the fields of the struct, whose slots are among those of its parent. */
  readonly inline: FieldTable | undefined;

  constructor({ number, type, omitEmpty, omitZero }: GoField, slot: number, value: ValuePlan, inline?: FieldTable) {
    this.op = value.op === MAP || value.op === MANAGED_FIELDS ? LIST : value.op;
    this.tag = tagOf(number, value.wireType);
    this.slot = slot;
    this.low = slot < BITS ? 1 << slot : 0;
    this.high = slot < BITS ? 0 : 1 << (slot - BITS);
    this.omitsZero = (omitZero && type.kind === "opaque") || (omitEmpty && hasOmittedZero(type));
    this.value = value;
    this.inline = inline;
  }
}

export interface FieldTable {
  readonly struct: GoStruct;
  readonly byTag: readonly (FieldPlan | undefined)[];
}

/** A field in the JSON of its message. */
export interface Leaf {
  readonly name: string;
  /** -1: the field was not sent. */
  readonly slot: number;
  /** The JSON value if the field was not sent; undefined: the JSON of an empty message. */
  readonly absent: unknown;
  readonly message: MessagePlan | undefined;
}

export class MessagePlan {
  readonly struct: GoStruct;
  /** The JSON of an empty message, if it was needed and values are shared. */
  sharedEmpty: Record<string, unknown> | undefined;
  /** The number of slots. */
  size = 0;
  #fields: FieldTable | undefined;
  /** By slot: the leaf if the field was sent, and if it was not: undefined if JSON then omits it. */
  readonly #sent: Leaf[] = [];
  readonly #notSent: (Leaf | undefined)[] = [];
  readonly #constants: readonly Leaf[];
  readonly #sets = new Map<number, readonly Leaf[]>();
  #lastLow = -1;
  #lastHigh = -1;
  #lastLeaves: readonly Leaf[] = [];

  /** `constants`: fields that come first in the JSON of every such message. */
  constructor(struct: GoStruct, constants: Readonly<Record<string, string>> = {}) {
    this.struct = struct;
    this.#constants = Object.entries(constants).map(([name, absent]) => ({
      name,
      slot: -1,
      absent,
      message: undefined,
    }));
  }

  /** Created on first use, because a struct may contain itself. */
  fields(): FieldTable {
    if (this.#fields === undefined) {
      this.#fields = this.#tableOf(this.struct);
      this.size = this.#sent.length;
      assert(this.size <= 2 * BITS, `${this.struct.name} has too many fields`);
    }
    return this.#fields;
  }

  #tableOf(struct: GoStruct): FieldTable {
    const byTag: (FieldPlan | undefined)[] = [];
    for (const field of struct.fields) {
      if (field.number === 0) continue;
      const value = fieldValue(struct, field);
      const slot = this.#sent.length;
      const inline = value.op === INLINE ? this.#tableOf(structOf(field.type)) : undefined;
      const plan = new FieldPlan(field, slot, value, inline);
      put(byTag, plan.tag, plan);
      // A repeated number may also come packed.
      if (value.op === NUMBERS) put(byTag, tagOf(field.number, BYTES), plan);
      if (value.op !== INLINE) this.#addLeaf(slot, field, value);
    }
    return { struct, byTag };
  }

  #addLeaf(slot: number, { type, jsonName: name, omitEmpty, omitZero }: GoField, { message }: ValuePlan): void {
    const canBeEmpty = type.kind !== "struct" && type.kind !== "opaque";
    const isOmitted = (omitZero && type.kind === "opaque") || (omitEmpty && canBeEmpty);
    this.#sent.push({ name, slot, absent: undefined, message });
    this.#notSent.push(isOmitted ? undefined : { name, slot: -1, absent: zeroOf(type), message });
  }

  /** The leaves in the JSON of a message whose values are in these slots. */
  leavesWith(low: number, high: number): readonly Leaf[] {
    if (low === this.#lastLow && high === this.#lastHigh) return this.#lastLeaves;
    const set = high * 2 ** BITS + low;
    let leaves = this.#sets.get(set);
    if (leaves === undefined) {
      const chosen = this.#sent.map((leaf, slot) => (isIn(slot, low, high) ? leaf : this.#notSent[slot]));
      leaves = [...this.#constants, ...chosen.filter((leaf) => leaf !== undefined)];
      if (this.#sets.size < SETS_MAX) this.#sets.set(set, leaves);
    }
    this.#lastLow = low;
    this.#lastHigh = high;
    this.#lastLeaves = leaves;
    return leaves;
  }
}

function put(table: (FieldPlan | undefined)[], tag: number, plan: FieldPlan): void {
  while (table.length <= tag) table.push(undefined);
  table[tag] = plan;
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
  const element = valuePlan(type.elem);
  if (element.wireType !== BYTES) return new ValuePlan(type, NUMBERS, element);
  return new ValuePlan(type, name === "v1.ObjectMeta" && jsonName === "managedFields" ? MANAGED_FIELDS : LIST, element);
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

/** Whether a value of this type can have been sent and still be empty for Go. A pointer or map cannot. */
function hasOmittedZero(type: GoType): boolean {
  return type.kind !== "struct" && type.kind !== "opaque" && type.kind !== "pointer" && type.kind !== "map";
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
