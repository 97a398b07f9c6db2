// A JSON value read into a Go struct and written again, which is what the API server does to all it
// is sent: unknown fields go, nulls and empty values that Go omits go, structs that Go always writes
// come, times and quantities take their canonical form, and a value of the wrong type is an error with
// Go's text. Parts that need no change are shared with the input.
//
// Deviation: lists and maps that Go would write as null are left out.

import { ValueError } from "#api/errors.ts";
import type { GoField, GoStruct, GoType, OpaqueType } from "#api/go-layout.ts";
import { goQuote } from "#api/go-text.ts";
import { parseQuantity } from "#api/quantity-parser.ts";
import { formatMicroTime, formatTime, parseMicroTime, parseTime } from "#api/time.ts";

/** A value that does not fit its Go type. The message is Go's. */
export class TypedDecodingError extends Error {
  override readonly name = "TypedDecodingError";
}

export type DecodingWording = "json" | "unstructured";

export interface TypedDecoding {
  readonly value: Readonly<Record<string, unknown>>;
  /** Paths of fields that the type does not have, in order of occurrence. */
  readonly unknownFields: readonly string[];
}

/**
 * Throws the first TypedDecodingError. `wording` is that of Go's JSON decoder, or of the converter that upstream uses
 * after a strategic merge.
 */
export function decodeTyped(type: GoStruct, input: unknown, wording: DecodingWording = "json"): TypedDecoding {
  if (input === null || typeof input !== "object" || Array.isArray(input)) {
    if (input === null) return { value: {}, unknownFields: [] };
    throw new TypedDecodingError(`json: cannot unmarshal ${jsonKind(input)} into Go value of type ${type.name}`);
  }
  const decoder = new Decoder(wording);
  const value = decoder.struct(type, input as Record<string, unknown>, "", "") as Readonly<Record<string, unknown>>;
  if (decoder.error !== undefined) throw new TypedDecodingError(decoder.error);
  return { value, unknownFields: decoder.unknownFields };
}

interface StructIndex {
  /** With inline structs flattened. */
  readonly byName: ReadonlyMap<string, IndexedField>;
  /** Fields that Go writes even when they were not given. */
  readonly always: readonly { readonly name: string; readonly zero: unknown }[];
}

interface IndexedField {
  readonly field: GoField;
  /** The struct that Go's errors name, and what it puts between the path and the field's name. */
  readonly owner: string;
  readonly inlinePath: string;
}

const indexes = new WeakMap<GoStruct, StructIndex>();

function indexOf(type: GoStruct): StructIndex {
  let index = indexes.get(type);
  if (index === undefined) {
    const byName = new Map<string, IndexedField>();
    const always: { name: string; zero: unknown }[] = [];
    addFields(type, "", byName, always);
    index = { byName, always };
    indexes.set(type, index);
  }
  return index;
}

function addFields(
  type: GoStruct,
  inlinePath: string,
  byName: Map<string, IndexedField>,
  always: { name: string; zero: unknown }[],
): void {
  for (const field of type.fields) {
    if (field.inline) {
      const inner = field.type.kind === "pointer" ? field.type.elem : field.type;
      if (inner.kind === "struct") addFields(inner, `${inlinePath}${field.goName}.`, byName, always);
      continue;
    }
    byName.set(field.jsonName, { field, owner: shortName(type), inlinePath });
    const zero = zeroThatIsWritten(field);
    if (zero !== undefined) always.push({ name: field.jsonName, zero });
  }
}

/** Undefined: Go omits the zero value, or writes null for it. */
function zeroThatIsWritten({ type, omitEmpty, omitZero }: GoField): unknown {
  if (omitZero) return undefined;
  if (type.kind === "struct") return zeroStruct(type);
  if (omitEmpty) return undefined;
  switch (type.kind) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "int":
    case "uint8":
    case "float64":
      return 0;
    case "opaque":
      return type.opaque === "Quantity" ? "0" : type.opaque === "IntOrString" ? 0 : undefined;
    default:
      return undefined;
  }
}

/** What Go writes for a struct of which nothing was given. */
function zeroStruct(type: GoStruct): Readonly<Record<string, unknown>> {
  const value: Record<string, unknown> = {};
  for (const { name, zero } of indexOf(type).always) value[name] = zero;
  return Object.freeze(value);
}

/** All that Go would write of an object of which nothing was given, nulls included. */
export function zeroObject(type: GoStruct): Readonly<Record<string, unknown>> {
  const value: Record<string, unknown> = {};
  for (const [name, { field }] of indexOf(type).byName) {
    if (field.type.kind === "struct" && !field.omitZero) value[name] = zeroObject(field.type);
    else if (!field.omitEmpty && !field.omitZero) value[name] = zeroThatIsWritten(field) ?? null;
  }
  return value;
}

class Decoder {
  readonly unknownFields: string[] = [];
  error: string | undefined;
  readonly #wording: DecodingWording;

  constructor(wording: DecodingWording) {
    this.#wording = wording;
  }

  struct(type: GoStruct, input: Record<string, unknown>, path: string, goPath: string): unknown {
    const { byName, always } = indexOf(type);
    let output: Record<string, unknown> | undefined;
    for (const name in input) {
      const given = input[name];
      const indexed = byName.get(name);
      if (indexed === undefined) {
        this.unknownFields.push(path === "" ? name : `${path}.${name}`);
      } else {
        const fieldPath = path === "" ? name : `${path}.${name}`;
        const { owner, inlinePath, field } = indexed;
        const value = this.value(field.type, given, fieldPath, owner, `${goPath}${inlinePath}${name}`);
        if (value === given && !isOmitted(field, value)) continue;
        if (!isOmitted(field, value)) {
          output ??= { ...input };
          output[name] = value;
          continue;
        }
      }
      output ??= { ...input };
      delete output[name];
    }
    for (const { name, zero } of always) {
      if (output === undefined ? Object.hasOwn(input, name) : Object.hasOwn(output, name)) continue;
      output ??= { ...input };
      output[name] = zero;
    }
    return output ?? input;
  }

  /** Undefined for null: what Go leaves at its zero value. */
  value(type: GoType, input: unknown, path: string, owner: string, goPath: string): unknown {
    if (input === null || input === undefined) return undefined;
    switch (type.kind) {
      case "pointer":
        return this.value(type.elem, input, path, owner, goPath);
      case "struct":
        if (!isObject(input)) return this.#mismatch(type, input, owner, goPath);
        return this.struct(type, input, path, `${goPath}.`);
      case "slice":
        return this.#slice(type, input, path, owner, goPath);
      case "map":
        return this.#map(type, input, path, owner, goPath);
      case "opaque":
        return this.#opaque(type.opaque, input, owner, goPath);
      case "string":
        return typeof input === "string" ? input : this.#mismatch(type, input, owner, goPath);
      case "bool":
        return typeof input === "boolean" ? input : this.#mismatch(type, input, owner, goPath);
      case "float64":
        return typeof input === "number" ? input : this.#mismatch(type, input, owner, goPath);
      default:
        return this.#integer(type, input, owner, goPath);
    }
  }

  #slice(type: GoType & { kind: "slice" }, input: unknown, path: string, owner: string, goPath: string): unknown {
    if (type.elem.kind === "uint8") {
      if (typeof input !== "string") return this.#mismatch(type, input, owner, goPath);
      return this.#base64(input);
    }
    if (!Array.isArray(input)) return this.#mismatch(type, input, owner, goPath);
    let output: unknown[] | undefined;
    for (let i = 0; i < input.length; i++) {
      const value = this.value(type.elem, input[i], `${path}[${i}]`, owner, goPath) ?? elementZero(type.elem);
      if (value === input[i] && output === undefined) continue;
      output ??= input.slice(0, i);
      output.push(value);
    }
    return output ?? input;
  }

  #map(type: GoType & { kind: "map" }, input: unknown, path: string, owner: string, goPath: string): unknown {
    if (!isObject(input)) return this.#mismatch(type, input, owner, goPath);
    let output: Record<string, unknown> | undefined;
    for (const key in input) {
      const value = this.value(type.elem, input[key], `${path}.${key}`, owner, goPath) ?? elementZero(type.elem);
      if (value === input[key]) continue;
      output ??= { ...input };
      Object.defineProperty(output, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return output ?? input;
  }

  #integer(type: GoType, input: unknown, owner: string, goPath: string): unknown {
    if (typeof input !== "number") return this.#mismatch(type, input, owner, goPath);
    const isInRange = type.kind !== "int32" || (input >= -2147483648 && input <= 2147483647);
    if (Number.isInteger(input) && isInRange) return input;
    this.error ??=
      this.#wording === "json"
        ? `json: cannot unmarshal number ${input} into Go struct field ${owner}.${goPath} of type ${type.name}`
        : `cannot convert float64 to ${type.name}`;
    return undefined;
  }

  #opaque(opaque: OpaqueType, input: unknown, owner: string, goPath: string): unknown {
    switch (opaque) {
      case "Time":
        return this.#time(input, owner, goPath, (text) => formatTime(parseTime(text)));
      case "MicroTime":
        return this.#time(input, owner, goPath, (text) => formatMicroTime(parseMicroTime(text)));
      case "Quantity":
        return this.#quantity(input);
      case "IntOrString":
        if (typeof input === "string") return input;
        return this.#integer({ kind: "int32", name: "int32" }, input, owner, goPath);
      default:
        return input;
    }
  }

  #time(input: unknown, owner: string, goPath: string, canonical: (text: string) => string): unknown {
    if (typeof input !== "string") return this.#mismatch({ kind: "string", name: "string" }, input, owner, goPath);
    return this.#checked(() => canonical(input));
  }

  #quantity(input: unknown): unknown {
    return this.#checked(() =>
      parseQuantity(
        typeof input === "number" ? String(input) : typeof input === "string" ? input.trim() : goQuote(String(input)),
      ).toString(),
    );
  }

  #checked<T>(parse: () => T): T | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.error ??= error.message;
      return undefined;
    }
  }

  #base64(input: string): string | undefined {
    const text = /[\r\n]/.test(input) ? input.replace(/[\r\n]/g, "") : input;
    const bad = text.search(/[^A-Za-z0-9+/=]/);
    const at = bad >= 0 ? bad : /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0 ? -1 : text.length;
    if (at >= 0) this.error ??= `illegal base64 data at input byte ${at}`;
    return at >= 0 ? undefined : text;
  }

  #mismatch(type: GoType, input: unknown, owner: string, goPath: string): undefined {
    this.error ??=
      this.#wording === "json"
        ? `json: cannot unmarshal ${jsonKind(input)} into Go struct field ${owner}.${goPath} of type ${type.name}`
        : unstructuredMismatch(type, input);
    return undefined;
  }
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
  if (typeof input === "number") return Number.isInteger(input) ? "int64" : "float64";
  return typeof input === "boolean" ? "bool" : typeof input === "string" ? "string" : "map";
}

/** null in a list or map of plain values is Go's zero value. */
function elementZero(type: GoType): unknown {
  switch (type.kind) {
    case "string":
      return "";
    case "bool":
      return false;
    case "struct":
      return zeroStruct(type);
    case "slice":
      return type.elem.kind === "uint8" ? "" : [];
    case "map":
      return {};
    case "opaque":
      return type.opaque === "Quantity" ? "0" : null;
    case "pointer":
      return null;
    default:
      return 0;
  }
}

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

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** "PodSpec" of "v1.PodSpec". */
function shortName(type: GoStruct): string {
  return type.name.slice(type.name.lastIndexOf(".") + 1);
}
