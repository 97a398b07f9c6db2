// Arithmetic, comparison, membership and indexes. Upstream: github.com/google/cel-go/common/types

import { goFormat } from "#api/patch/go-format.ts";
import { durationOf, int64, timestampOf, toText, uint64 } from "./conversions.ts";
import { compare, equal } from "./equality.ts";
import {
  ArrayList,
  CelError,
  Duration,
  isList,
  isMap,
  itemsOf,
  type List,
  noOverload,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from "./values.ts";

type Binary = (a: Value, b: Value) => Value;

const add: Binary = (a, b) => {
  if (typeof a === "bigint" && typeof b === "bigint") return int64(a + b);
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (a instanceof Uint && b instanceof Uint) return uint64(a.value + b.value);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return new Uint8Array([...a, ...b]);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return timestampOf(a.nanos + b.nanos);
  if (a instanceof Duration && b instanceof Timestamp) return timestampOf(a.nanos + b.nanos);
  return isList(a) && isList(b) ? concat(a, b) : noOverload();
};

function concat(a: List, b: List): List {
  if (a.size === 0 && a.add === undefined) return b;
  return a.add?.(b) ?? new ArrayList([...itemsOf(a), ...itemsOf(b)]);
}

const subtract: Binary = (a, b) => {
  if (typeof a === "bigint" && typeof b === "bigint") return int64(a - b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (a instanceof Uint && b instanceof Uint) return uint64(a.value - b.value);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return timestampOf(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return durationOf(a.nanos - b.nanos);
  return noOverload();
};

const multiply: Binary = (a, b) => {
  if (typeof a === "bigint" && typeof b === "bigint") return int64(a * b);
  if (typeof a === "number" && typeof b === "number") return a * b;
  return a instanceof Uint && b instanceof Uint ? uint64(a.value * b.value) : noOverload();
};

const divide: Binary = (a, b) => {
  if (typeof a === "number" && typeof b === "number") return a / b;
  if (typeof a === "bigint" && typeof b === "bigint") return int64(nonZero(b, "division by zero") && a / b);
  if (!(a instanceof Uint) || !(b instanceof Uint)) return noOverload();
  return new Uint(nonZero(b.value, "division by zero") && a.value / b.value);
};

const modulo: Binary = (a, b) => {
  if (typeof a === "bigint" && typeof b === "bigint") return int64(nonZero(b, "modulus by zero") && a % b);
  if (!(a instanceof Uint) || !(b instanceof Uint)) return noOverload();
  return new Uint(nonZero(b.value, "modulus by zero") && a.value % b.value);
};

function nonZero(value: bigint, message: string): bigint {
  if (value === 0n) throw new CelError(message);
  return value;
}

const ordered =
  (holds: (order: number) => boolean): Binary =>
  (a, b) => {
    const isNaNGiven = Number.isNaN(a) || Number.isNaN(b);
    if (isNaNGiven) throw new CelError("NaN values cannot be ordered");
    const order = compare(a, b);
    return order === undefined ? noOverload() : holds(order);
  };

const isIn: Binary = (item, collection) => {
  if (isList(collection)) {
    for (const each of itemsOf(collection)) if (equal(each, item)) return true;
    return false;
  }
  return isMap(collection) ? collection.get(item) !== undefined : noOverload();
};

const index: Binary = (collection, key) => {
  if (collection instanceof Optional) {
    if (collection.value === undefined) return collection;
    return optionalIndex(collection, key);
  }
  const found = find(collection, key);
  if (found !== undefined) return found;
  throw new CelError(isList(collection) ? `index out of bounds: ${keyText(key)}` : `no such key: ${keyText(key)}`);
};

/** Undefined: the collection has no such key or index. */
function find(collection: Value, key: Value): Value | undefined {
  if (isMap(collection)) return collection.get(key);
  if (!isList(collection)) return noOverload();
  const at = key instanceof Uint ? key.value : typeof key === "number" && Number.isInteger(key) ? BigInt(key) : key;
  if (typeof at !== "bigint") throw new CelError(`unsupported index type '${typeof key}' in list`);
  return at >= 0n && at < BigInt(collection.size) ? collection.at(Number(at)) : undefined;
}

const keyText = (key: Value): string => {
  if (typeof key === "number") return goFormat(key);
  return toText(key);
};

const optionalIndex: Binary = (collection, key) => {
  if (collection instanceof Optional) {
    return collection.value === undefined ? collection : optionalIndex(collection.value, key);
  }
  const found = find(collection, key);
  return found === undefined ? new Optional() : new Optional(found);
};

export const BINARY: Readonly<Record<string, Binary>> = {
  __proto__: null as never,
  "_+_": add,
  "_-_": subtract,
  "_*_": multiply,
  "_/_": divide,
  "_%_": modulo,
  "_==_": equal,
  "_!=_": (a, b) => !equal(a, b),
  "_<_": ordered((order) => order < 0),
  "_<=_": ordered((order) => order <= 0),
  "_>_": ordered((order) => order > 0),
  "_>=_": ordered((order) => order >= 0),
  "@in": isIn,
  "_[_]": index,
  "_[?_]": optionalIndex,
};

export function negate(value: Value): Value {
  if (typeof value === "bigint") return int64(-value);
  return typeof value === "number" ? -value : noOverload();
}

/** A field of an object. */
export function select(operand: Value, name: string): Value {
  if (operand instanceof Optional) {
    return operand.value === undefined ? operand : optionalSelect(operand.value, name);
  }
  const found = isMap(operand) ? operand.get(name) : noOverload();
  if (found !== undefined) return found;
  throw new CelError(`no such key: ${name}`);
}

export function optionalSelect(operand: Value, name: string): Value {
  if (operand instanceof Optional) return operand.value === undefined ? operand : optionalSelect(operand.value, name);
  const found = isMap(operand) ? operand.get(name) : noOverload();
  return found === undefined ? new Optional() : new Optional(found);
}

export function hasField(operand: Value, name: string): boolean {
  if (operand instanceof Optional) return operand.value !== undefined && hasField(operand.value, name);
  return isMap(operand) ? operand.get(name) !== undefined : noOverload();
}
