// Decodes a JSON value into a Go struct and encodes it again, as the API server does with all input: unknown fields,
// nulls and empty values that Go omits are dropped, structs that Go always writes are added, times and quantities get
// their canonical form, and a value of the wrong type is an error with Go's text. Unchanged parts are shared with the
// input.

import { jsonKind } from "#api/patch/json-value.ts";
import { ValueError } from "./errors.ts";
import type { GoField, GoStruct, GoType, OpaqueType } from "./go-layout.ts";
import { goQuote } from "./go-text.ts";
import { type Int64, int64From, int64Of, isInt64 } from "./int64.ts";
import { parseQuantity } from "./quantity-parser.ts";
import { elementZero, type IndexedField, indexOf } from "./struct-index.ts";
import { formatMicroTime, formatTime, parseMicroTime, parseTime } from "./time.ts";

/** A value that does not fit its Go type. The message is Go's. */
export class TypedDecodingError extends Error {
  override readonly name = "TypedDecodingError";
}

export type DecodingWording = "json" | "unstructured";

export interface TypedDecoding {
  readonly value: Readonly<Record<string, unknown>>;
  /** Paths of fields that the type does not have, in order of occurrence. */
  readonly unknownFields: readonly string[];
  /** True if there is an empty list or null in a field that Go never omits. */
  readonly hasEmptyLists?: boolean;
}

/**
 * Throws the first TypedDecodingError. `wording`: of Go's JSON decoder, or of the converter that upstream uses after a
 * strategic merge. `before`: an object that was already decoded into this type; shared parts are not decoded again.
 */
export function decodeTyped(
  type: GoStruct,
  input: unknown,
  wording: DecodingWording = "json",
  before?: unknown,
): TypedDecoding {
  if (input === null) return decodeTyped(type, {}, wording);
  if (typeof input !== "object" || Array.isArray(input)) {
    throw new TypedDecodingError(`json: cannot unmarshal ${jsonKind(input)} into Go value of type ${type.name}`);
  }
  const decoder = new Decoder(wording);
  const value = decoder.struct(type, input as Record<string, unknown>, before) as Readonly<Record<string, unknown>>;
  const error = decoder.ownError ?? decoder.error;
  if (error !== undefined) throw new TypedDecodingError(error);
  return { value, unknownFields: decoder.unknownFields, hasEmptyLists: decoder.hasEmptyLists };
}

/** A value of the type without its empty lists: they are null, if Go writes them at all. */
export function withoutEmptyLists<T extends object>(type: GoStruct, value: T): T {
  return new Decoder("json", true).struct(type, value as Record<string, unknown>) as T;
}

/** The position of the decoder: fields of structs, elements of lists, keys of maps. */
type Step = IndexedField | number | string;

const INT32: GoType = { kind: "int32", name: "int32" };
const STRING: GoType = { kind: "string", name: "string" };

class Decoder {
  readonly unknownFields: string[] = [];
  error: string | undefined;
  /** The error of a type with its own decoder: Go's decoder stops at it, while it continues after all others. */
  ownError: string | undefined;
  hasEmptyLists = false;
  readonly #wording: DecodingWording;
  readonly #dropsEmptyLists: boolean;
  /** Converted to text only on errors. */
  readonly #trail: Step[] = [];

  constructor(wording: DecodingWording, dropsEmptyLists = false) {
    this.#wording = wording;
    this.#dropsEmptyLists = dropsEmptyLists;
  }

  struct(type: GoStruct, input: Record<string, unknown>, before?: unknown): unknown {
    const { byName, always } = indexOf(type);
    const known = isObject(before) ? before : undefined;
    let output: Record<string, unknown> | undefined;
    for (const name in input) {
      const given = input[name];
      const indexed = byName.get(name);
      if (indexed === undefined) {
        this.unknownFields.push(this.#jsonPath(name));
      } else {
        const { field } = indexed;
        if (known !== undefined && typeof given === "object" && given !== null && given === known[name]) continue;
        this.#trail.push(indexed);
        const value = this.value(field.type, given, known?.[name]);
        this.#trail.pop();
        if (!isOmitted(field, value) && !this.#isDropped(value)) {
          if (value === given) continue;
          output ??= { ...input };
          output[name] = value;
          continue;
        }
      }
      output ??= { ...input };
      delete output[name];
    }
    for (const { name, zero } of always) {
      if (Object.hasOwn(output ?? input, name)) continue;
      output ??= { ...input };
      output[name] = zero;
    }
    return output ?? input;
  }

  #isDropped(value: unknown): boolean {
    if (!Array.isArray(value) || value.length > 0) return false;
    this.hasEmptyLists = true;
    return this.#dropsEmptyLists;
  }

  /** Undefined for null, which keeps Go's zero value. */
  value(type: GoType, input: unknown, before?: unknown): unknown {
    if (input === null || input === undefined) return undefined;
    switch (type.kind) {
      case "pointer":
        return this.value(type.elem, input, before);
      case "struct":
        return isObject(input) ? this.struct(type, input, before) : this.#mismatch(type, input);
      case "slice":
        return this.#slice(type, input);
      case "map":
        return this.#map(type, input);
      case "opaque":
        return this.#opaque(type.opaque, input);
      case "string":
        return typeof input === "string" ? input : this.#mismatch(type, input);
      case "bool":
        return typeof input === "boolean" ? input : this.#mismatch(type, input);
      case "float64":
        return isNumber(input) ? Number(input) : this.#mismatch(type, input);
      default:
        return this.#integer(type, input);
    }
  }

  #slice(type: GoType & { kind: "slice" }, input: unknown): unknown {
    if (type.elem.kind === "uint8") {
      return typeof input === "string" ? this.#base64(input) : this.#mismatch(type, input);
    }
    if (!Array.isArray(input)) return this.#mismatch(type, input);
    let output: unknown[] | undefined;
    for (let i = 0; i < input.length; i++) {
      this.#trail.push(i);
      const value = this.value(type.elem, input[i]) ?? elementZero(type.elem);
      this.#trail.pop();
      if (value === input[i] && output === undefined) continue;
      output ??= input.slice(0, i);
      output.push(value);
    }
    return output ?? input;
  }

  #map(type: GoType & { kind: "map" }, input: unknown): unknown {
    if (!isObject(input)) return this.#mismatch(type, input);
    let output: Record<string, unknown> | undefined;
    for (const key in input) {
      this.#trail.push(key);
      const value = this.value(type.elem, input[key]) ?? elementZero(type.elem);
      this.#trail.pop();
      if (value === input[key]) continue;
      output ??= { ...input };
      Object.defineProperty(output, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return output ?? input;
  }

  #integer(type: GoType, input: unknown): unknown {
    if (!isNumber(input)) return this.#mismatch(type, input);
    const bits = type.kind === "int32" ? 32 : 64;
    if (Number.isSafeInteger(input) && (bits === 64 || input === (Number(input) | 0))) return input;
    if (typeof input === "bigint" || Number.isInteger(input)) {
      const fitting = this.#wording === "json" ? fromText(String(input), bits) : cut(int64From(input), bits);
      if (fitting !== undefined) return fitting;
    }
    this.error ??=
      this.#wording === "json"
        ? `json: cannot unmarshal number ${input} into ${this.#goField()} of type ${type.name}`
        : `cannot convert float64 to ${type.name}`;
    return undefined;
  }

  #opaque(opaque: OpaqueType, input: unknown): unknown {
    const before = this.error;
    this.error = undefined;
    const value = this.#readItself(opaque, input);
    if (this.#wording === "json") this.ownError ??= this.error;
    this.error = before ?? this.error;
    return value;
  }

  #readItself(opaque: OpaqueType, input: unknown): unknown {
    switch (opaque) {
      case "Time":
        return typeof input === "string" ? this.#checked(canonicalTime, input) : this.#notText(input);
      case "MicroTime":
        return typeof input === "string" ? this.#checked(canonicalMicroTime, input) : this.#notText(input);
      case "Quantity":
        return this.#checked(canonicalQuantity, input);
      case "IntOrString":
        return typeof input === "string" ? input : this.#integer(INT32, input);
      default:
        return input;
    }
  }

  /** In conversions, types with their own text decoder do not know their position. */
  #notText(input: unknown): undefined {
    if (this.#wording === "json") return this.#mismatch(STRING, input);
    this.error ??= `json: cannot unmarshal ${jsonKind(input)} into Go value of type string`;
    return undefined;
  }

  #checked<I>(canonical: (input: I) => string, input: I): string | undefined {
    try {
      return canonical(input);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.error ??= error.message;
      return undefined;
    }
  }

  #base64(input: string): string | undefined {
    const text = /[\r\n]/.test(input) ? input.replace(/[\r\n]/g, "") : input;
    const bad = text.search(/[^A-Za-z0-9+/=]/);
    const at =
      bad >= 0
        ? bad
        : /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0
          ? -1
          : text.length - (text.length % 4);
    const prefix = this.#wording === "json" ? "" : "error decoding from json: ";
    if (at >= 0) this.error ??= `${prefix}illegal base64 data at input byte ${at}`;
    return at >= 0 ? undefined : text;
  }

  #mismatch(type: GoType, input: unknown): undefined {
    this.error ??=
      this.#wording === "json"
        ? `json: cannot unmarshal ${jsonKind(input)} into ${this.#goField()} of type ${type.name}`
        : unstructuredMismatch(type, input);
    return undefined;
  }

  /** "spec.containers[0].name" */
  #jsonPath(last: string): string {
    let path = "";
    for (const step of [...this.#trail, last]) {
      if (typeof step === "number") path += `[${step}]`;
      else path += `${path === "" ? "" : "."}${typeof step === "string" ? step : step.field.jsonName}`;
    }
    return path;
  }

  /** The name in Go's decoder: the struct, then all fields from the top, without indexes and keys. */
  #goField(): string {
    const fields = this.#trail.filter((step) => typeof step === "object");
    const path = fields.map(({ inlinePath, field }) => inlinePath + field.jsonName).join(".");
    return `Go struct field ${fields.at(-1)?.owner ?? ""}.${path}`;
  }
}

const canonicalTime = (text: string): string => formatTime(parseTime(text));
const canonicalMicroTime = (text: string): string => formatMicroTime(parseMicroTime(text));

function canonicalQuantity(input: unknown): string {
  const text = typeof input === "string" ? input.trim() : isNumber(input) ? String(input) : goQuote(String(input));
  return parseQuantity(text).toString();
}

/** Upstream: k8s.io/apimachinery/pkg/runtime/converter.go, fromUnstructured */
function unstructuredMismatch(type: GoType, input: unknown): string {
  const given = unstructuredKind(input);
  if (type.kind === "map") return `cannot restore map from ${given}`;
  if (type.kind === "slice") return `cannot restore slice from ${given}`;
  if (type.kind === "struct") return `cannot restore struct from: ${given}`;
  return type.kind === "string" && given === "int64"
    ? `cannot convert int64 to ${type.name}`
    : `unrecognized type: ${type.kind}`;
}

function unstructuredKind(input: unknown): string {
  if (Array.isArray(input)) return "slice";
  if (isNumber(input)) return isInt64(input) ? "int64" : "float64";
  return typeof input === "boolean" ? "bool" : typeof input === "string" ? "string" : "map";
}

const isNumber = (value: unknown): value is Int64 => typeof value === "number" || typeof value === "bigint";

/** A double has the value of its JSON text: 2^60 is 1152921504606847000. */
function fromText(text: string, bits: 32 | 64): Int64 | undefined {
  if (text.includes("e")) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(bits, value) === value ? int64Of(value) : undefined;
}

/** The converter does not check the range. */
const cut = (value: Int64, bits: 32 | 64): Int64 | undefined => int64Of(BigInt.asIntN(bits, BigInt(value)));

function isOmitted(field: GoField, value: unknown): boolean {
  if (value === undefined) return true;
  if (!field.omitEmpty || field.type.kind === "pointer") return false;
  if (value === "" || value === 0 || value === false) return field.type.kind !== "opaque";
  if (Array.isArray(value)) return value.length === 0;
  return field.type.kind === "map" && isEmptyObject(value);
}

function isEmptyObject(value: unknown): boolean {
  for (const _ in value as object) return false;
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
