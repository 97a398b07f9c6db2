// Decodes protobuf messages to the JSON form that Go prints after decoding the same bytes. One loop reads every message
// by the plan of its struct (proto-plan.ts). Keys are in Go's field order.
//
// The bytes may be hostile: no message is read beyond its end, and no length is trusted. With shared values, equal
// messages become one object, which must not be changed, and managedFields are left out.
//
// Deviation: a repeated message in a singular field replaces the first one; upstream merges the two. No encoder writes
// such bytes.

import { encodeBase64 } from "#api/base64.ts";
import type { GoStruct } from "#api/go-layout.ts";
import { setOwn } from "#api/patch/json-value.ts";
import * as plan from "#api/proto-plan.ts";
import { type MessagePlan, planOf, schemaPlan, type ValuePlan } from "#api/proto-plan.ts";
import { BYTES, DEPTH_MAX, FIXED64, ProtoReader, VARINT } from "#api/proto-reader.ts";
import { tagOf } from "#api/proto-values.ts";
import type { SharedValues } from "#api/shared-values.ts";

type JsonObject = Record<string, unknown>;

/** The message of these bytes. */
export function decodeStruct(struct: GoStruct, bytes: Uint8Array, shared?: SharedValues): JsonObject {
  return new MessageDecoder(bytes, shared).message(planOf(struct), 0, bytes.length);
}

class MessageDecoder {
  readonly #bytes: Uint8Array;
  readonly #shared: SharedValues | undefined;
  /** Reads numbers, and rare values. */
  readonly #reader: ProtoReader;
  #depth = 0;

  constructor(bytes: Uint8Array, shared: SharedValues | undefined) {
    this.#bytes = bytes;
    this.#shared = shared;
    this.#reader = new ProtoReader(bytes, shared);
  }

  message(message: MessagePlan, start: number, end: number): JsonObject {
    const fields = message.fields();
    const bytes = this.#bytes;
    const reader = this.#reader;
    const values: unknown[] = new Array(message.leaves.length);
    let low = 0;
    let high = 0;
    if (++this.#depth > DEPTH_MAX) reader.failAt("nesting too deep", start);
    let at = start;
    while (at < end) {
      let tag = bytes[at] as number;
      if (tag < 0x80) at++;
      else {
        tag = reader.uint32At(at, end);
        at = reader.at;
      }
      const field = fields[tag];
      if (field === undefined) {
        at = this.#unknown(message, tag, at, end);
        continue;
      }
      const { slot, value } = field;
      low |= field.low;
      high |= field.high;
      const wireType = tag & 7;
      if (wireType === BYTES) {
        let length = bytes[at] as number;
        if (length < 0x80) at++;
        else {
          length = reader.uint32At(at, end);
          at = reader.at;
        }
        const from = at;
        at += length;
        if (!(at <= end)) reader.failAt("a length beyond the end", from);
        if (value.op === plan.STRING) values[slot] = reader.stringAt(from, at, value.kind);
        else values[slot] = this.#delimited(value, from, at, values[slot]);
        continue;
      }
      const number = this.#number(value.op === plan.LIST ? (value.element as ValuePlan) : value, wireType, at, end);
      at = reader.at;
      if (value.op === plan.LIST) values[slot] = appended(values[slot], number);
      else values[slot] = number;
    }
    this.#depth--;
    return this.#build(message.leavesWith(low, high), values);
  }

  #build(leaves: readonly plan.Leaf[], values: readonly unknown[]): JsonObject {
    const object: JsonObject = {};
    for (let index = 0; index < leaves.length; index++) {
      const leaf = leaves[index] as plan.Leaf;
      let value = values[leaf.slot];
      if (value === undefined) {
        value = leaf.absent;
        if (value === plan.OMIT) continue;
        if (value === undefined) value = this.#empty(leaf.message as MessagePlan);
      } else if (value === leaf.omitted) continue;
      if (leaf.isInline) Object.assign(object, value);
      else object[leaf.jsonName] = value;
    }
    return object;
  }

  #empty(message: MessagePlan): JsonObject {
    return this.message(message, 0, 0);
  }

  /** A value of this many bytes; `previous`: the result of earlier occurrences of its field. */
  #delimited(value: ValuePlan, start: number, end: number, previous: unknown): unknown {
    switch (value.op) {
      case plan.LIST: {
        const element = value.element as ValuePlan;
        if (element.wireType !== BYTES) return this.#packed(element, start, end, previous);
        const item =
          element.op === plan.STRING
            ? this.#reader.stringAt(start, end, element.kind)
            : this.#delimited(element, start, end, undefined);
        return appended(previous, item);
      }
      case plan.MAP: {
        const entry = this.#sharing(value, start, end) as MapEntry;
        const object = (previous ?? {}) as JsonObject;
        setOwn(object, entry.key, entry.value);
        return object;
      }
      case plan.MANAGED_FIELDS:
        if (this.#shared !== undefined) return undefined;
        return appended(previous, this.#delimited(value.element as ValuePlan, start, end, undefined));
      case plan.INLINE:
        return this.message(value.message as MessagePlan, start, end);
      case plan.BASE64:
        return encodeBase64(this.#bytes.subarray(start, end));
      case plan.STRING:
        return this.#reader.stringAt(start, end, value.kind);
      default:
        return this.#sharing(value, start, end);
    }
  }

  /** The value of a message, which may be shared with an earlier equal one. */
  #sharing(value: ValuePlan, start: number, end: number): unknown {
    const shared = this.#shared;
    if (shared === undefined) return this.#whole(value, start, end);
    const slot = shared.slotOf(value.kind, this.#bytes, start, end);
    if (slot < 0) return this.#whole(value, start, end);
    if (shared.holds(slot, value.kind, this.#bytes, start, end)) return shared.at(slot);
    const made = this.#whole(value, start, end);
    shared.keep(slot, value.kind, this.#bytes.subarray(start, end), made);
    return made;
  }

  #whole(value: ValuePlan, start: number, end: number): unknown {
    switch (value.op) {
      case plan.MESSAGE:
        return this.message(value.message as MessagePlan, start, end);
      case plan.MAP:
        return this.#entry(value.element as ValuePlan, start, end);
      case plan.STRINGS:
        return this.#alternatives(start, end, (from, to) => this.#reader.stringAt(from, to), 1);
      case plan.SCHEMA_OR_LIST:
        return this.#alternatives(start, end, (from, to) => this.message(schemaPlan(), from, to));
      case plan.SCHEMA_OR_STRINGS:
        return this.#alternatives(start, end, (from, to) => this.#reader.stringAt(from, to));
      case plan.SCHEMA_OR_BOOL:
        return this.#schemaOrBool(start, end);
      default:
        return this.#reader.within(start, end, (value.opaque as NonNullable<ValuePlan["opaque"]>).read);
    }
  }

  #entry(element: ValuePlan, start: number, end: number): MapEntry {
    let key = "";
    let value: unknown;
    this.#each(start, end, (tag, from, to) => {
      if (tag === tagOf(1, BYTES)) key = this.#reader.stringAt(from, to);
      else if (tag !== tagOf(2, element.wireType)) return;
      else if (element.wireType === BYTES) value = this.#delimited(element, from, to, undefined);
      else value = this.#number(element, element.wireType, from, to);
    });
    if (value === undefined) value = element.op === plan.BASE64 ? "" : element.zero;
    return { key, value: value === undefined ? this.#empty(element.message as MessagePlan) : value };
  }

  /** A schema as field 1, or a list as field `listNumber`, which wins if it has an element. */
  #alternatives(start: number, end: number, read: (start: number, end: number) => unknown, listNumber = 2): unknown {
    const list: unknown[] = [];
    let schema: unknown = null;
    this.#each(start, end, (tag, from, to) => {
      if (tag === tagOf(listNumber, BYTES)) list.push(read(from, to));
      else if (tag === tagOf(1, BYTES)) schema = this.message(schemaPlan(), from, to);
    });
    return list.length > 0 ? list : schema;
  }

  #schemaOrBool(start: number, end: number): unknown {
    let allows = false;
    let schema: unknown;
    this.#each(start, end, (tag, from, to) => {
      if (tag === tagOf(1, VARINT)) allows = this.#reader.within(from, to, (reader) => reader.bool());
      else if (tag === tagOf(2, BYTES)) schema = this.message(schemaPlan(), from, to);
    });
    return schema ?? allows;
  }

  /** Calls `onField` with the bytes of each value: those of a number, or the content of any other value. */
  #each(start: number, end: number, onField: (tag: number, start: number, end: number) => void): void {
    const reader = this.#reader;
    for (let at = start; at < end; ) {
      const tag = reader.uint32At(at, end);
      const from = reader.at;
      at = reader.skipAt(tag & 7, from, end);
      if ((tag & 7) !== BYTES) onField(tag, from, at);
      else {
        reader.uint32At(from, end);
        onField(tag, reader.at, at);
      }
    }
  }

  #packed(element: ValuePlan, start: number, end: number, previous: unknown): unknown {
    let list: unknown = previous ?? [];
    for (let at = start; at < end; at = this.#reader.at) {
      list = appended(list, this.#number(element, element.wireType, at, end));
    }
    return list;
  }

  /** A number; the reader's position is then after it. */
  #number({ op }: ValuePlan, wireType: number, at: number, end: number): unknown {
    const reader = this.#reader;
    reader.at = at;
    reader.end = end;
    if (wireType === FIXED64) return reader.float64();
    return op === plan.BOOL ? reader.bool() : op === plan.INT32 ? reader.int32() : reader.int64();
  }

  #unknown(message: MessagePlan, tag: number, at: number, end: number): number {
    const name = message.nameOf(tag >>> 3);
    if (name !== undefined) this.#reader.failAt(`wrong wire type ${tag & 7} for field ${name}`, at);
    return this.#reader.skipAt(tag & 7, at, end);
  }
}

interface MapEntry {
  readonly key: string;
  readonly value: unknown;
}

function appended(list: unknown, item: unknown): unknown {
  if (list === undefined) return [item];
  (list as unknown[]).push(item);
  return list;
}
