// The protobuf forms of types whose JSON is not that of their fields: quantities, times, int-or-strings and raw JSON.
// Each has a zero: Go's output for a field that was not sent.

import { CodecError } from "#api/codec-error.ts";
import type { GoType } from "#api/go-layout.ts";
import { goJson } from "#api/go-text.ts";
import { clampToNumber, type Int64 } from "#api/int64.ts";
import { decodeUtf8, parseJson } from "#api/json.ts";
import { BYTES, FIXED64, type ProtoReader, VARINT } from "#api/proto-reader.ts";
import type { ProtoWriter } from "#api/proto-writer.ts";
import { parseQuantity, quantityFromWire } from "#api/quantity-parser.ts";
import { formatTime, parseTime } from "#api/time.ts";

/** Reads or writes the content of one message; the caller handles its length and tag. */
export interface MessageCodec {
  readonly zero: unknown;
  read(reader: ProtoReader): unknown;
  write(writer: ProtoWriter, value: unknown): void;
}

/** Calls `onField` for each field; it returns false for an unknown field. */
export function eachField(reader: ProtoReader, onField: (tag: number) => boolean): void {
  while (reader.at < reader.end) {
    const tag = reader.bits32();
    if (!onField(tag)) reader.skip(tag & 7);
  }
}

/** A field number and its wire type as one integer, as they precede a value. */
export const tagOf = (number: number, wireType: number): number => number * 8 + wireType;

/** The wire type of a type's values. */
export function wireTypeOf(type: GoType): number {
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

export function writeString(writer: ProtoWriter, number: number, value: string): void {
  const before = writer.length;
  writer.text(value);
  writer.varint(writer.length - before);
  writer.tag(number, BYTES);
}

/** One to three digits and a suffix are canonical: nine in ten quantities need no parsing. */
const plainlyCanonical = /^(?:0|[1-9]\d{0,2}(?:[mkMGTPE]|[KMGTPE]i)?)$/;

function canonicalQuantity(value: unknown): string {
  if (typeof value === "string" && plainlyCanonical.test(value)) return value;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint")
    throw new CodecError("protobuf", "a quantity must be a string");
  return String(typeof value === "string" ? parseQuantity(value) : quantityFromWire(value));
}

export const quantityCodec: MessageCodec = {
  zero: "0",
  read(reader) {
    let text: string | undefined;
    eachField(reader, (tag) => {
      if (tag !== tagOf(1, BYTES)) return false;
      text = reader.string();
      return true;
    });
    return text === undefined ? "0" : canonicalQuantity(text);
  },
  write(writer, value) {
    writeString(writer, 1, canonicalQuantity(value ?? 0));
  },
};

/** The seconds of Go's zero time, 0001-01-01T00:00:00Z, which means no time. */
const ZERO_TIME_SECONDS = -62_135_596_800;
const YEAR_10000_SECONDS = 253_402_300_800;

interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

function readTimestamp(reader: ProtoReader): Timestamp | undefined {
  if (reader.at === reader.end) return undefined;
  let seconds = 0;
  let nanos = 0;
  eachField(reader, (tag) => {
    if (tag === tagOf(1, VARINT)) seconds = clampToNumber(reader.int64());
    else if (tag === tagOf(2, VARINT)) nanos = reader.int32();
    else return false;
    return true;
  });
  if (seconds < ZERO_TIME_SECONDS || seconds >= YEAR_10000_SECONDS) reader.fail("a time outside the years 1 to 9999");
  if (nanos < 0 || nanos > 999_999_999) reader.fail("nanoseconds out of range");
  return { seconds, nanos };
}

function writeTimestamp(writer: ProtoWriter, { seconds, nanos }: Timestamp): void {
  if (seconds === ZERO_TIME_SECONDS && nanos === 0) return;
  writer.int64(nanos);
  writer.tag(2, VARINT);
  writer.int64(seconds);
  writer.tag(1, VARINT);
}

/** Upstream sends only whole seconds. */
export const timeCodec: MessageCodec = {
  zero: null,
  read(reader) {
    const timestamp = readTimestamp(reader);
    if (timestamp === undefined || timestamp.seconds === ZERO_TIME_SECONDS) return null;
    return formatTime(timestamp.seconds * 1000);
  },
  write(writer, value) {
    if (value === null || value === undefined) return;
    writeTimestamp(writer, { seconds: Math.floor(parseTime(String(value)) / 1000), nanos: 0 });
  },
};

/** Seconds and microseconds are kept separate: one double holds both only for some centuries. */
export const microTimeCodec: MessageCodec = {
  zero: null,
  read(reader) {
    const timestamp = readTimestamp(reader);
    if (timestamp === undefined) return null;
    const micros = Math.floor(timestamp.nanos / 1000);
    if (timestamp.seconds === ZERO_TIME_SECONDS && micros === 0) return null;
    return `${formatTime(timestamp.seconds * 1000).slice(0, -1)}.${String(micros).padStart(6, "0")}Z`;
  },
  write(writer, value) {
    if (value === null || value === undefined) return;
    const [, whole = "", digits = "", zone = ""] = /^(.*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(String(value)) ?? [];
    const micros = Number(digits.slice(0, 6).padEnd(6, "0"));
    writeTimestamp(writer, { seconds: parseTime(whole + zone) / 1000, nanos: micros * 1000 });
  },
};

const STRING_VALUE = 1;

export const intOrStringCodec: MessageCodec = {
  zero: 0,
  read(reader) {
    let type: Int64 = 0;
    let number = 0;
    let text = "";
    eachField(reader, (tag) => {
      if (tag === tagOf(1, VARINT)) type = reader.int64();
      else if (tag === tagOf(2, VARINT)) number = reader.int32();
      else if (tag === tagOf(3, BYTES)) text = reader.string();
      else return false;
      return true;
    });
    return type === STRING_VALUE ? text : number;
  },
  write(writer, value = 0) {
    const isText = typeof value === "string";
    if (!isText && !Number.isInteger(value)) throw new CodecError("protobuf", "an int-or-string must be one of both");
    writeString(writer, 3, isText ? value : "");
    writer.int64(isText ? 0 : (value as number) | 0);
    writer.tag(2, VARINT);
    writer.varint(isText ? STRING_VALUE : 0);
    writer.tag(1, VARINT);
  },
};

/** RawExtension, FieldsV1 and JSON: one field of JSON bytes, which upstream compares as bytes. */
export const rawJsonCodec: MessageCodec = {
  zero: null,
  read(reader) {
    let raw: Uint8Array | undefined;
    eachField(reader, (tag) => {
      if (tag !== tagOf(1, BYTES)) return false;
      raw = reader.subarray();
      return true;
    });
    return raw === undefined || raw.length === 0 ? null : parseJson(decodeUtf8(raw), "bigint");
  },
  write(writer, value) {
    if (value !== null && value !== undefined) writeString(writer, 1, goJson(value));
  },
};
