// Values of CEL: null, booleans, bigints (int), Uint, numbers (double), strings, bytes, and the classes
// below. Upstream: github.com/google/cel-go/common/types

import type { Quantity } from "#api/quantity.ts";
import type { Cidr, Ip } from "./addresses.ts";
import type { GoUrl } from "./go-url.ts";
import { BOOL, BYTES, DOUBLE, DURATION, INT, NULL, STRING, TIMESTAMP, type Type, UINT } from "./types.ts";

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class TypeValue {
  readonly type: Type;
  constructor(type: Type) {
    this.type = type;
  }
}

export class Optional {
  readonly value: Value | undefined;
  constructor(value?: Value) {
    this.value = value;
  }
}

/** Values of the libraries of Kubernetes. */
export class Opaque {
  readonly type:
    | "kubernetes.Quantity"
    | "kubernetes.URL"
    | "kubernetes.Semver"
    | "kubernetes.NamedFormat"
    | "net.IP"
    | "net.CIDR";
  readonly value: Quantity | GoUrl | Semver | NamedFormat | Ip | Cidr;
  constructor(type: Opaque["type"], value: Opaque["value"]) {
    this.type = type;
    this.value = value;
  }
}

export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly pre: readonly (bigint | string)[];
  readonly text: string;
}

export interface NamedFormat {
  readonly name: string;
  readonly regexSize: number;
  validate(text: string): string[];
}

/** A value of x-kubernetes-preserve-unknown-fields: it can only be compared. */
export class Preserved {
  readonly json: unknown;
  constructor(json: unknown) {
    this.json = json;
  }
}

export interface List {
  readonly isList: true;
  readonly size: number;
  /** The index must be in range. */
  at(index: number): Value;
  /** Lists of schemas have special rules for comparison and addition. */
  equals?(other: List): boolean;
  add?(other: List): List;
}

export interface MapLike {
  readonly isMap: true;
  readonly size: number;
  keys(): Value[];
  get(key: Value): Value | undefined;
  equals?(other: MapLike): boolean;
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | TypeValue
  | Optional
  | Opaque
  | Preserved
  | List
  | MapLike;

export class ArrayList implements List {
  readonly isList = true;
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Value {
    return this.items[index] as Value;
  }
}

/** A map created by an expression. */
export class LiteralMap implements MapLike {
  readonly isMap = true;
  readonly #entries: Map<string, readonly [Value, Value]>;
  constructor(entries: Map<string, readonly [Value, Value]> = new Map()) {
    this.#entries = entries;
  }
  static of(entries: Iterable<readonly [Value, Value]>): LiteralMap {
    return new LiteralMap(new Map([...entries].map(([key, value]) => [keyText(key), [key, value] as const])));
  }
  get size(): number {
    return this.#entries.size;
  }
  keys(): Value[] {
    return [...this.#entries.values()].map(([key]) => key);
  }
  get(key: Value): Value | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }
  with(key: Value, value: Value): LiteralMap {
    return new LiteralMap(new Map(this.#entries).set(keyText(key), [key, value]));
  }
}

/** Equal numbers are one key, regardless of their types. */
function keyText(key: Value): string {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "bigint") return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === "number") return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
  return `b${String(key)}`;
}

/** The error of an evaluation. */
export class CelError extends Error {
  override readonly name = "CelError";
}

export const NO_OVERLOAD = "no such overload";

export const noOverload = (): never => {
  throw new CelError(NO_OVERLOAD);
};

const isObject = (value: Value): value is Exclude<Value, null | boolean | bigint | number | string> =>
  typeof value === "object" && value !== null;

export const isList = (value: Value): value is List => isObject(value) && "isList" in value;
export const isMap = (value: Value): value is MapLike => isObject(value) && "isMap" in value;

export function* itemsOf(list: List): Generator<Value> {
  for (let i = 0; i < list.size; i++) yield list.at(i);
}

/** The name of a value's type in messages. */
export function typeName(value: Value): string {
  const type = typeOf(value);
  if (type.kind === "null") return "null_type";
  if (type.kind === "duration") return "google.protobuf.Duration";
  if (type.kind === "timestamp") return "google.protobuf.Timestamp";
  return type.name;
}

export function typeOf(value: Value): Type {
  if (value === null) return NULL;
  switch (typeof value) {
    case "boolean":
      return BOOL;
    case "bigint":
      return INT;
    case "number":
      return DOUBLE;
    case "string":
      return STRING;
    default:
      break;
  }
  if (value instanceof Uint) return UINT;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof Duration) return DURATION;
  if (value instanceof Timestamp) return TIMESTAMP;
  const named = (name: string, kind: Type["kind"] = "opaque"): Type => ({ kind, name, params: [] });
  if (value instanceof TypeValue) return named("type", "type");
  if (value instanceof Optional) return named("optional_type");
  if (value instanceof Opaque) return named(value.type);
  if (value instanceof Preserved) return named("unknown");
  return isList(value as Value) ? named("list", "list") : named("map", "map");
}
