// Decodes protobuf messages to the JSON form that Go prints after decoding the same bytes. One loop reads every message
// by the plan of its struct (proto-plan.ts). Keys are in Go's field order.
//
// The bytes may be hostile: no message is read beyond its end, and no length is trusted. With shared values, equal
// messages, lists and maps become one object, which must not be changed, and managedFields are left out.
//
// Deviation: a repeated message in a singular field replaces the first one; upstream merges the two. No encoder writes
// such bytes.

import { encodeBase64 } from "#api/base64.ts";
import { setOwn } from "#api/patch/json-value.ts";
import * as plan from "#api/proto-plan.ts";
import { type FieldPlan, type FieldTable, type MessagePlan, schemaPlan, type ValuePlan } from "#api/proto-plan.ts";
import { BYTES, DEPTH_MAX, FIXED64, ProtoReader, VARINT } from "#api/proto-reader.ts";
import { tagOf } from "#api/proto-values.ts";
import { ShareableKind, type SharedValues } from "#api/shared-values.ts";

type JsonObject = Record<string, unknown>;

const nothing = new ProtoReader(new Uint8Array());
/** Larger messages are read where they are. */
const COPIED_BYTES_MAX = 64 * 1024;
const keys = new ShareableKind();

/** Decodes one message after the other. */
export class MessageDecoder {
  readonly #shared: SharedValues | undefined;
  /** Reads copies of messages: a copy is cheaper than views of the bytes of each message. */
  readonly #copies: ProtoReader;
  #reader: ProtoReader = nothing;
  /** The values of the messages that are being read. Those of an inner message are above those of the outer one. */
  readonly #values: unknown[] = [];
  #top = 0;
  #depth = 0;
  // The set of slots that the fields read last have filled.
  #low = 0;
  #high = 0;
  /** Lists and maps that this object does not share, although it may share others of their fields. */
  readonly #unshared = new Set<unknown>();

  constructor(shared?: SharedValues) {
    this.#shared = shared;
    this.#copies = shared === undefined ? nothing : new ProtoReader(new Uint8Array(COPIED_BYTES_MAX));
  }

  /** A reader of these bytes, until the next call. */
  readerOf(bytes: Uint8Array): ProtoReader {
    const copies = this.#copies;
    if (bytes.length > copies.bytes.length) return new ProtoReader(bytes);
    copies.bytes.set(bytes);
    copies.restart(bytes.length);
    return copies;
  }

  /** The message between two positions. */
  decode(message: MessagePlan, reader: ProtoReader, start: number, end: number): JsonObject {
    this.#reader = reader;
    this.#top = 0;
    this.#depth = 0;
    this.#unshared.clear();
    return this.#message(message, start, end);
  }

  #message(message: MessagePlan, start: number, end: number): JsonObject {
    const fields = message.fields();
    const values = this.#values;
    const base = this.#top;
    this.#top = base + message.size;
    while (values.length < this.#top) values.push(undefined);
    if (++this.#depth > DEPTH_MAX) this.#reader.failAt("nesting too deep", start);
    this.#fill(fields, start, end, base);
    this.#depth--;
    this.#top = base;
    const leaves = message.leavesWith(this.#low, this.#high);
    const object: JsonObject = {};
    for (let index = 0; index < leaves.length; index++) {
      const leaf = leaves[index] as plan.Leaf;
      object[leaf.name] = leaf.slot < 0 ? this.#absent(leaf) : values[base + leaf.slot];
    }
    return object;
  }

  /** Puts the values of fields into their slots. Positions are checked after they have moved. */
  #fill(fields: FieldTable, start: number, end: number, base: number): void {
    const { byTag } = fields;
    const reader = this.#reader;
    const { bytes } = reader;
    const values = this.#values;
    let low = 0;
    let high = 0;
    let at = start;
    while (at < end) {
      const tagAt = at;
      let tag = bytes[at] as number;
      if (tag < 0x80) at++;
      else {
        tag = reader.bits32At(at, end);
        at = reader.at;
      }
      const field = byTag[tag];
      if (field === undefined) {
        at = this.#unknown(fields, tag, at, end);
        continue;
      }
      const { op } = field;
      let value: unknown;
      if ((tag & 7) === BYTES) {
        const length = bytes[at] as number;
        let from = at + 1;
        if (length < 0x80) at = from + length;
        else {
          at = reader.contentEnd(at, end);
          from = reader.at;
        }
        if (at > end) reader.failAt("a length beyond the end", from);
        if (op === plan.STRING) value = this.#string(field.value.kind, from, at);
        else if (op === plan.LIST) {
          const isFirst = ((low & field.low) | (high & field.high)) === 0;
          value = this.#entries(field, tagAt, from, at, end, isFirst ? undefined : values[base + field.slot]);
          at = reader.at;
        } else if (op === plan.INLINE) {
          this.#fill(field.inline as FieldTable, from, at, base);
          low |= this.#low;
          high |= this.#high;
          continue;
        } else if (op === plan.NUMBERS) {
          const isFirst = ((low & field.low) | (high & field.high)) === 0;
          value = this.#packed(field.value.element as ValuePlan, from, at, isFirst ? [] : values[base + field.slot]);
        } else value = this.#delimited(field.value, from, at);
      } else if (op === plan.NUMBERS) {
        const isFirst = ((low & field.low) | (high & field.high)) === 0;
        value = isFirst ? [] : values[base + field.slot];
        (value as unknown[]).push(this.#number(field.value.element as ValuePlan, at, end));
        at = reader.at;
      } else {
        const number = bytes[at] as number;
        if (number < 0x80 && op !== plan.DOUBLE) {
          value = op === plan.BOOL ? number !== 0 : number;
          at++;
        } else {
          value = this.#number(field.value, at, end);
          at = reader.at;
        }
      }
      if (!value && field.omitsZero) {
        low &= ~field.low;
        high &= ~field.high;
      } else {
        values[base + field.slot] = value;
        low |= field.low;
        high |= field.high;
      }
    }
    if (at > end) reader.failAt("unexpected end", end);
    this.#low = low;
    this.#high = high;
  }

  #absent({ absent, message }: plan.Leaf): unknown {
    return absent === undefined ? this.#empty(message as MessagePlan) : absent;
  }

  #empty(message: MessagePlan): JsonObject {
    if (this.#shared === undefined) return this.#message(message, 0, 0);
    message.sharedEmpty ??= this.#message(message, 0, 0);
    return message.sharedEmpty;
  }

  #string(kind: ShareableKind, start: number, end: number): string {
    if (start === end) return "";
    const shared = this.#shared;
    return shared === undefined ? this.#reader.stringAt(start, end) : shared.string(kind, this.#reader, start, end);
  }

  /**
   * A list or map, to which these bytes add an entry, or if values are shared, all entries that follow each other. The
   * reader's position is then after them.
   */
  #entries(
    field: FieldPlan,
    tagAt: number,
    start: number,
    end: number,
    messageEnd: number,
    previous: unknown,
  ): unknown {
    const reader = this.#reader;
    const shared = this.#shared;
    const { value } = field;
    if (value.op === plan.MANAGED_FIELDS && shared !== undefined) {
      reader.at = end;
      return null;
    }
    if (shared === undefined || previous !== undefined) {
      const extended = this.#with(shared === undefined ? previous : this.#own(previous), value, start, end);
      reader.at = end;
      return extended;
    }
    const runEnd = this.#runEnd(field.tag, end, messageEnd);
    const slot = shared.slotOf(value.kind, reader, tagAt, runEnd);
    let entries: unknown;
    if (slot >= 0 && shared.holds(slot, value.kind, reader, tagAt, runEnd)) entries = shared.at(slot);
    else {
      entries = this.#with(undefined, value, start, end);
      for (let at = end; at < runEnd; ) {
        reader.bits32At(at, runEnd);
        at = reader.contentEnd(reader.at, runEnd);
        entries = this.#with(entries, value, reader.at, at);
      }
      if (slot >= 0) shared.keep(slot, value.kind, reader, tagAt, runEnd, entries);
    }
    reader.at = runEnd;
    return entries;
  }

  /** The end of the entries with this tag that begin at this position. */
  #runEnd(tag: number, start: number, end: number): number {
    const reader = this.#reader;
    const { bytes } = reader;
    const first = tag < 0x80 ? tag : (tag & 0x7f) | 0x80;
    let at = start;
    while (at < end && bytes[at] === first) {
      let lengthAt = at + 1;
      if (tag >= 0x80) {
        if (reader.bits32At(at, end) !== tag) break;
        lengthAt = reader.at;
      }
      const length = bytes[lengthAt] as number;
      at = length < 0x80 ? lengthAt + 1 + length : reader.contentEnd(lengthAt, end);
    }
    return at <= end ? at : reader.failAt("a length beyond the end", start);
  }

  /** Entries that other objects may share must not be changed. */
  #own(entries: unknown): unknown {
    if (this.#unshared.has(entries)) return entries;
    const copy = Array.isArray(entries) ? [...entries] : { ...(entries as JsonObject) };
    this.#unshared.add(copy);
    return copy;
  }

  #with(entries: unknown, { op, element }: ValuePlan, start: number, end: number): unknown {
    if (op === plan.MAP) {
      const object = (entries ?? {}) as JsonObject;
      this.#addEntry(object, element as ValuePlan, start, end);
      return object;
    }
    const item = this.#delimited(element as ValuePlan, start, end);
    if (entries === undefined) return [item];
    (entries as unknown[]).push(item);
    return entries;
  }

  #addEntry(object: JsonObject, element: ValuePlan, start: number, end: number): void {
    const reader = this.#reader;
    let key = "";
    let value: unknown;
    for (let at = start; at < end; ) {
      const tag = reader.bits32At(at, end);
      const from = reader.at;
      at = reader.skipAt(tag & 7, from, end);
      if (tag === tagOf(1, BYTES)) key = this.#string(keys, reader.contentStart(from, end), at);
      else if (tag !== tagOf(2, element.wireType)) continue;
      else if (element.wireType === BYTES) value = this.#delimited(element, reader.contentStart(from, end), at);
      else value = this.#number(element, from, at);
    }
    if (value === undefined) value = element.op === plan.BASE64 ? "" : element.zero;
    setOwn(object, key, value === undefined ? this.#empty(element.message as MessagePlan) : value);
  }

  /** The value of these bytes, which is not a number. */
  #delimited(value: ValuePlan, start: number, end: number): unknown {
    switch (value.op) {
      case plan.STRING:
        return this.#string(value.kind, start, end);
      case plan.BASE64:
        return encodeBase64(this.#reader.bytes.subarray(start, end));
      default:
        return this.#sharing(value, start, end);
    }
  }

  /** The value of a message, which may be shared with an earlier equal one. */
  #sharing(value: ValuePlan, start: number, end: number): unknown {
    const shared = this.#shared;
    if (shared === undefined) return this.#whole(value, start, end);
    const reader = this.#reader;
    const slot = shared.slotOf(value.kind, reader, start, end);
    if (slot < 0) return this.#whole(value, start, end);
    if (shared.holds(slot, value.kind, reader, start, end)) return shared.at(slot);
    const made = this.#whole(value, start, end);
    shared.keep(slot, value.kind, reader, start, end, made);
    return made;
  }

  #whole(value: ValuePlan, start: number, end: number): unknown {
    switch (value.op) {
      case plan.MESSAGE:
        return start === end
          ? this.#empty(value.message as MessagePlan)
          : this.#message(value.message as MessagePlan, start, end);
      case plan.STRINGS:
        return this.#alternatives(start, end, (from, to) => this.#reader.stringAt(from, to), 1);
      case plan.SCHEMA_OR_LIST:
        return this.#alternatives(start, end, (from, to) => this.#message(schemaPlan(), from, to));
      case plan.SCHEMA_OR_STRINGS:
        return this.#alternatives(start, end, (from, to) => this.#reader.stringAt(from, to));
      case plan.SCHEMA_OR_BOOL:
        return this.#schemaOrBool(start, end);
      default:
        return this.#reader.within(start, end, (value.opaque as NonNullable<ValuePlan["opaque"]>).read);
    }
  }

  /** A schema as field 1, or a list as field `listNumber`, which wins if it has an element. */
  #alternatives(start: number, end: number, read: (start: number, end: number) => unknown, listNumber = 2): unknown {
    const list: unknown[] = [];
    let schema: unknown = null;
    this.#each(start, end, (tag, from, to) => {
      if (tag === tagOf(listNumber, BYTES)) list.push(read(from, to));
      else if (tag === tagOf(1, BYTES)) schema = this.#message(schemaPlan(), from, to);
    });
    return list.length > 0 ? list : schema;
  }

  #schemaOrBool(start: number, end: number): unknown {
    let allows = false;
    let schema: unknown;
    this.#each(start, end, (tag, from, to) => {
      if (tag === tagOf(1, VARINT)) allows = this.#reader.within(from, to, (reader) => reader.bool());
      else if (tag === tagOf(2, BYTES)) schema = this.#message(schemaPlan(), from, to);
    });
    return schema ?? allows;
  }

  /** Calls `onField` with the bytes of each value: those of a number, or the content of any other value. */
  #each(start: number, end: number, onField: (tag: number, start: number, end: number) => void): void {
    const reader = this.#reader;
    for (let at = start; at < end; ) {
      const tag = reader.bits32At(at, end);
      const from = reader.at;
      at = reader.skipAt(tag & 7, from, end);
      onField(tag, (tag & 7) === BYTES ? reader.contentStart(from, end) : from, at);
    }
  }

  #packed(element: ValuePlan, start: number, end: number, previous: unknown): unknown {
    const list = previous as unknown[];
    for (let at = start; at < end; at = this.#reader.at) list.push(this.#number(element, at, end));
    return list;
  }

  /** A number; the reader's position is then after it. */
  #number({ op, wireType }: ValuePlan, at: number, end: number): unknown {
    const reader = this.#reader;
    reader.at = at;
    reader.end = end;
    if (wireType === FIXED64) return reader.float64();
    return op === plan.BOOL ? reader.bool() : op === plan.INT32 ? reader.int32() : reader.int64();
  }

  #unknown({ struct }: FieldTable, tag: number, at: number, end: number): number {
    const name = struct.fields.find(({ number }) => number === tag >>> 3 && number !== 0)?.jsonName;
    if (name !== undefined) this.#reader.failAt(`wrong wire type ${tag & 7} for field ${name}`, at);
    return this.#reader.skipAt(tag & 7, at, end);
  }
}
