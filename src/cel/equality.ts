// Equality and order of values. Numbers compare by value, regardless of their types.
// Upstream: github.com/google/cel-go/common/types, Equal and Compare

import { int64Of } from "#api/int64.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import type { Quantity } from "#api/quantity.ts";
import { type Cidr, type Ip, isSameIp } from "./addresses.ts";
import type { GoUrl } from "./go-url.ts";
import { isSameType } from "./types.ts";
import {
  CelError,
  Duration,
  isList,
  isMap,
  type List,
  type MapLike,
  type NamedFormat,
  NO_OVERLOAD,
  Opaque,
  Optional,
  Preserved,
  type Semver,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

type Numeric = bigint | number | Uint;

const isNumeric = (value: Value): value is Numeric =>
  typeof value === "bigint" || typeof value === "number" || value instanceof Uint;

const plain = (value: Numeric): bigint | number => (value instanceof Uint ? value.value : value);

export function equal(a: Value, b: Value): boolean {
  if (isNumeric(a) && isNumeric(b)) return plain(a) <= plain(b) && plain(a) >= plain(b);
  if (a === null || typeof a !== "object") return a === b;
  if (a instanceof Preserved) return deepEqual(a.json, b instanceof Preserved ? b.json : jsonLike(b));
  if (b instanceof Preserved) return deepEqual(jsonLike(a), b.json);
  if (b === null || typeof b !== "object")
    return a instanceof Opaque && a.type.startsWith("net.") ? noOverload() : false;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && isSameType(a.type, b.type);
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false;
    return a.value === undefined || b.value === undefined ? a.value === b.value : equal(a.value, b.value);
  }
  if (a instanceof Opaque) return b instanceof Opaque && a.type === b.type ? equalOpaque(a, b) : noOverload();
  if (isList(a)) return isList(b) && equalLists(a, b);
  return isMap(a) && isMap(b) && equalMaps(a, b);
}

const noOverload = (): never => {
  throw new CelError(NO_OVERLOAD);
};

const jsonLike = (value: Value): unknown => (typeof value === "bigint" ? int64Of(value) : value);

function equalOpaque(a: Opaque, b: Opaque): boolean {
  switch (a.type) {
    case "kubernetes.Quantity":
      return (a.value as Quantity).cmp(b.value as Quantity) === 0;
    case "kubernetes.URL":
      return urlText(a.value as GoUrl) === urlText(b.value as GoUrl);
    case "kubernetes.Semver":
      return compareSemver(a.value as Semver, b.value as Semver) === 0;
    case "kubernetes.NamedFormat":
      return (a.value as NamedFormat).name === (b.value as NamedFormat).name;
    case "net.IP":
      return isSameIp(a.value as Ip, b.value as Ip);
    case "net.CIDR":
      return isSameIp(a.value as Ip, b.value as Ip) && (a.value as Cidr).bits === (b.value as Cidr).bits;
  }
}

function urlText({ scheme, user, host, escapedPath, rawQuery }: GoUrl): string {
  return [scheme, user, host, escapedPath, rawQuery].join("\n");
}

function equalLists(a: List, b: List): boolean {
  if (a.equals !== undefined) return a.equals(b);
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (!equal(a.at(i), b.at(i))) return false;
  return true;
}

function equalMaps(a: MapLike, b: MapLike): boolean {
  if (a.equals !== undefined) return a.equals(b);
  if (a.size !== b.size) return false;
  return a.keys().every((key) => {
    const [x, y] = [a.get(key), b.get(key)];
    return x !== undefined && y !== undefined && equal(x, y);
  });
}

/** Undefined: they cannot be ordered. */
export function compare(a: Value, b: Value): number | undefined {
  if (isNumeric(a) && isNumeric(b)) return order(plain(a), plain(b));
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return order(Number(a), Number(b));
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos);
  return undefined;
}

const order = (a: bigint | number, b: bigint | number): number => (a < b ? -1 : a > b ? 1 : 0);

/** By code points, which equals the order of UTF-8 bytes. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!/[\ud800-\udfff]/.test(a) && !/[\ud800-\udfff]/.test(b)) return a < b ? -1 : 1;
  return compareBytes(new TextEncoder().encode(a), new TextEncoder().encode(b));
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return (a[i] as number) < (b[i] as number) ? -1 : 1;
  return order(a.length, b.length);
}

/** Upstream: github.com/blang/semver, Compare */
export function compareSemver(a: Semver, b: Semver): number {
  for (const part of ["major", "minor", "patch"] as const) if (a[part] !== b[part]) return order(a[part], b[part]);
  if (a.pre.length === 0 || b.pre.length === 0) return order(b.pre.length === 0 ? 0 : 1, a.pre.length === 0 ? 0 : 1);
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const [x, y] = [a.pre[i], b.pre[i]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    if (typeof x !== typeof y) return typeof x === "bigint" ? -1 : 1;
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
