// A schema in CEL: the types and the values of its rules. Field names are escaped to valid CEL names. Upstream:
// k8s.io/apiserver/pkg/cel/{common/schemas.go,common/valuesunstructured.go,escaping.go}

import { ValueError } from "#api/errors.ts";
import { parseDuration } from "#api/go-duration.ts";
import { int64Of, isInt64 } from "#api/int64.ts";
import { goType } from "#api/patch/go-format.ts";
import { deepEqual, isArray, isObject, type JsonObject } from "#api/patch/json-value.ts";
import { equal } from "./equality.ts";
import { isDuration } from "./formats.ts";
import {
  isEmbedded,
  itemsOf,
  type JSONSchemaProps,
  preservesUnknown,
  propertyOf,
  sortedJson,
  valuesOf,
} from "./json-schema.ts";
import { parseTimestamp } from "./times.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  STRING,
  structType,
  TIMESTAMP,
  type Type,
} from "./types.ts";
import { CelError, Duration, type List, type MapLike, Preserved, Timestamp, type Value } from "./values.ts";

const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Undefined: the name cannot be escaped. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  const words: Readonly<Record<string, string>> = {
    __: "__underscores__",
    ".": "__dot__",
    "-": "__dash__",
    "/": "__slash__",
  };
  return name.replace(/__|[-./]/g, (part) => words[part] as string);
}

function unescapeName(escaped: string): string | undefined {
  let isKnown = true;
  const words: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" };
  const name = escaped.replace(/_{2}([^_]+)_{2}/g, (match, word: string) => {
    const plain = words[word];
    if (plain !== undefined) return plain;
    if (!RESERVED.has(word) || match.length !== escaped.length) isKnown = false;
    return word;
  });
  return isKnown ? name : undefined;
}

const STRING_ONLY: JSONSchemaProps = { type: "string" };
const TYPE_META: Readonly<Record<string, JSONSchemaProps>> = {
  kind: STRING_ONLY,
  apiVersion: STRING_ONLY,
  metadata: { type: "object", properties: { name: STRING_ONLY, generateName: STRING_ONLY } },
};

const resources = new WeakMap<JSONSchemaProps, JSONSchemaProps>();

/** Adds the fields of every resource, unless the schema has them all. */
export function asResource(schema: JSONSchemaProps): JSONSchemaProps {
  let made = resources.get(schema);
  if (made === undefined) {
    const { kind, apiVersion, metadata } = schema.properties ?? {};
    const { name, generateName } = (metadata?.type === "object" && metadata.properties) || {};
    const isDescribed = [kind, apiVersion, name, generateName].every((each) => each?.type === "string");
    made = isDescribed ? schema : { ...schema, properties: { ...schema.properties, ...TYPE_META } };
    resources.set(schema, made);
  }
  return made;
}

/** Undefined: rules cannot see it. `name`: the name of the type, if it has fields. */
export function celType(schema: JSONSchemaProps | undefined, isResourceRoot: boolean, name: string): Type | undefined {
  if (schema === undefined) return undefined;
  if (schema["x-kubernetes-int-or-string"]) return DYN;
  switch (schema.type) {
    case "array": {
      const items = itemsOf(schema);
      const element = items && celType(items, isEmbedded(items), `${name}.@idx`);
      return element && listType(element);
    }
    case "object": {
      const root = isResourceRoot ? asResource(schema) : schema;
      const values = valuesOf(root);
      if (values !== undefined) {
        const element = celType(values, isEmbedded(values), `${name}.@elem`);
        return element && mapType(STRING, element);
      }
      const fields = new Map<string, Type>();
      for (const [key, property] of Object.entries(root.properties ?? {})) {
        const escaped = escapeName(key);
        const type = escaped === undefined ? undefined : celType(property, isEmbedded(property), `${name}.${escaped}`);
        if (escaped !== undefined && type !== undefined) fields.set(escaped, type);
      }
      return structType(name, fields);
    }
    case "string":
      switch (schema.format) {
        case "byte":
          return BYTES;
        case "duration":
          return DURATION;
        case "date":
        case "date-time":
          return TIMESTAMP;
        default:
          return STRING;
      }
    case "boolean":
      return BOOL;
    case "number":
      return DOUBLE;
    case "integer":
      return INT;
    default:
      return undefined;
  }
}

const invalid = (what: string): never => {
  throw new CelError(`invalid data, ${what}`);
};

/** Throws a CelError for a value that does not fit its schema. */
export function celValue(json: unknown, schema: JSONSchemaProps): Value {
  if (json === null || json === undefined) {
    return schema.nullable ? null : invalid("got null for schema with nullable=false");
  }
  if (schema["x-kubernetes-int-or-string"]) {
    if (typeof json === "string") return json;
    if (isInt64(json)) return BigInt(json);
    return invalid("expected XIntOrString value to be either a string or integer");
  }
  switch (schema.type) {
    case "object":
      if (!isObject(json)) return invalid("expected a map for the provided schema with type=object");
      return new SchemaMap(json, isEmbedded(schema) ? asResource(schema) : schema);
    case "array": {
      if (!isArray(json)) return invalid("expected an array for the provided schema with type=array");
      if (itemsOf(schema) === undefined) {
        throw new CelError("invalid array type, expected Items with a non-empty Schema");
      }
      return new SchemaList(json, schema);
    }
    case "string":
      return typeof json === "string"
        ? stringValue(json, schema.format)
        : invalid(`expected string, got ${goType(json)}`);
    case "number":
      if (typeof json === "bigint") return Number(json);
      return typeof json === "number" ? json : invalid(`expected float, got ${goType(json)}`);
    case "integer":
      return isInt64(json) ? BigInt(json) : invalid(`expected int, got ${goType(json)}`);
    case "boolean":
      return typeof json === "boolean" ? json : invalid(`expected bool, got ${goType(json)}`);
    default:
      break;
  }
  if (preservesUnknown(schema)) return new Preserved(json);
  const kinds = "object, array, number, integer, boolean or string";
  const or = "or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true";
  throw new CelError(`invalid type, expected ${kinds}, ${or}, got ${schema.type ?? ""}`);
}

function stringValue(text: string, format: string | undefined): Value {
  switch (format) {
    case "duration":
      if (!isDuration(text)) throw new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
      return new Duration(durationNanos(text));
    case "date": {
      const nanos = parseTimestamp(`${text}T00:00:00Z`);
      if (nanos === undefined) throw new CelError(`Invalid date formatted string ${text}`);
      return new Timestamp(nanos);
    }
    case "date-time": {
      const nanos = dateTime(text);
      if (nanos === undefined) throw new CelError(`Invalid date-time formatted string ${text}`);
      return new Timestamp(nanos);
    }
    case "byte":
      return decodeBase64(text);
    default:
      return text;
  }
}

function dateTime(text: string): bigint | undefined {
  if (text === "") return 0n;
  return parseTimestamp(text) ?? parseTimestamp(`${text}Z`);
}

const UNIT_NANOS: readonly [RegExp, bigint][] = [
  [/^(ns|nano)/, 1n],
  [/^(us|µs|micro)/, 1_000n],
  [/^(ms|milli)/, 1_000_000n],
  [/^(s$|sec)/, 1_000_000_000n],
  [/^(m$|min)/, 60_000_000_000n],
  [/^(h$|hr|hour)/, 3_600_000_000_000n],
  [/^(d$|day)/, 86_400_000_000_000n],
  [/^(w$|wk|week)/, 604_800_000_000_000n],
];

function durationNanos(text: string): bigint {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    let total = 0n;
    for (const [, amount = "0", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
      const found = UNIT_NANOS.find(([pattern]) => pattern.test(unit.toLowerCase()));
      total += BigInt(amount) * (found?.[1] ?? 0n);
    }
    return total;
  }
}

function decodeBase64(text: string): Uint8Array {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/");
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(plain)) {
    throw new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${text.length}`);
  }
  return Uint8Array.from(atob(plain), (char) => char.charCodeAt(0));
}

export class SchemaMap implements MapLike {
  readonly isMap = true;
  readonly json: JsonObject;
  readonly #schema: JSONSchemaProps;
  readonly #values = new Map<string, Value | undefined>();

  constructor(json: JsonObject, schema: JSONSchemaProps) {
    this.json = json;
    this.#schema = schema;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  get #hasFields(): boolean {
    return this.#schema.properties !== undefined;
  }

  #schemaOf(key: string): JSONSchemaProps | undefined {
    return this.#hasFields ? propertyOf(this.#schema, key) : valuesOf(this.#schema);
  }

  keys(): Value[] {
    const known = Object.keys(this.json).filter((key) => this.#schemaOf(key) !== undefined);
    return known.map((key) => (this.#hasFields ? (escapeName(key) ?? key) : key));
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string") throw new CelError("no such overload");
    const name = this.#hasFields ? unescapeName(key) : key;
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    if (this.#values.has(name)) return this.#values.get(name);
    const json = this.json[name];
    const schema = this.#schemaOf(name);
    const value = schema === undefined || (this.#hasFields && json === null) ? undefined : celValue(json, schema);
    this.#values.set(name, value);
    return value;
  }

  equals(other: MapLike): boolean {
    if (this.size !== other.size) return false;
    return Object.keys(this.json).every((key) => {
      if (this.#schemaOf(key) === undefined) {
        if (!(other instanceof SchemaMap)) throw new CelError("no such overload");
        return !Object.hasOwn(other.json, key) || deepEqual(this.json[key], other.json[key]);
      }
      const name = this.#hasFields ? (escapeName(key) ?? key) : key;
      const [a, b] = [this.get(name), other.get(name)];
      return a === undefined || b === undefined ? a === b : equal(a, b);
    });
  }
}

export class SchemaList implements List {
  readonly isList = true;
  readonly json: readonly unknown[];
  readonly #schema: JSONSchemaProps;
  readonly #values: Value[] = [];

  constructor(json: readonly unknown[], schema: JSONSchemaProps) {
    this.json = json;
    this.#schema = schema;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    let value = this.#values[index];
    if (value === undefined) {
      value = celValue(this.json[index], itemsOf(this.#schema) as JSONSchemaProps);
      this.#values[index] = value;
    }
    return value;
  }

  get #type(): string {
    return this.#schema["x-kubernetes-list-type"] ?? "atomic";
  }

  /** The identity of an item: the keys of a map, the value in a set. */
  #identity(json: unknown): string {
    if (this.#type !== "map") return sortedJson(json);
    const keys = this.#schema["x-kubernetes-list-map-keys"] ?? [];
    return sortedJson(keys.map((key) => (isObject(json) ? (json[key] ?? null) : null)));
  }

  equals(other: List): boolean {
    if (this.size !== other.size) return false;
    if (this.#type === "atomic") {
      for (let i = 0; i < this.size; i++) if (!equal(this.at(i), other.at(i))) return false;
      return true;
    }
    const byIdentity = new Map(this.json.map((json, i) => [this.#identity(json), i]));
    for (let i = 0; i < other.size; i++) {
      const at = byIdentity.get(this.#identity(jsonOf(other, i)));
      if (at === undefined) return false;
      if (this.#type === "map" && !equal(this.at(at), other.at(i))) return false;
    }
    return true;
  }

  add(other: List): List {
    const items = [...this.json];
    const seen = new Map(items.map((json, i) => [this.#identity(json), i]));
    for (let i = 0; i < other.size; i++) {
      const json = jsonOf(other, i);
      const identity = this.#identity(json);
      const at = this.#type === "atomic" ? undefined : seen.get(identity);
      if (at === undefined) {
        seen.set(identity, items.length);
        items.push(json);
      } else if (this.#type === "map") items[at] = json;
    }
    return new SchemaList(items, this.#schema);
  }
}

/** An item as JSON, so that it can be added to a schema's list. */
function jsonOf(list: List, index: number): unknown {
  if (list instanceof SchemaList) return list.json[index];
  return toJson(list.at(index));
}

function toJson(value: Value): unknown {
  if (typeof value === "bigint") return int64Of(value);
  if (value instanceof SchemaMap || value instanceof SchemaList || value instanceof Preserved) return value.json;
  if (typeof value === "object" && value !== null && "isMap" in value) {
    return Object.fromEntries(value.keys().map((key) => [String(key), toJson(value.get(key) as Value)]));
  }
  if (typeof value === "object" && value !== null && "isList" in value) {
    return Array.from({ length: value.size }, (_, i) => toJson(value.at(i)));
  }
  return value;
}
