// The functions of the standard library and of Kubernetes: strings, lists, sets, times, regular expressions, optional
// values. The types of arguments may be known only at run time.
// Upstream: github.com/google/cel-go/{common/stdlib,ext,cel/library.go}; k8s.io/apiserver/pkg/cel/library

import { CONVERSIONS } from "./conversions.ts";
import { compare, equal } from "./equality.ts";
import { formatString } from "./format-string.ts";
import { KUBERNETES } from "./kubernetes-functions.ts";
import { BINARY, negate } from "./operators.ts";
import { compilePattern, matchesPattern } from "./patterns.ts";
import { STRINGS } from "./string-functions.ts";
import { civilTime } from "./times.ts";
import {
  ArrayList,
  CelError,
  Duration,
  isList,
  isMap,
  itemsOf,
  type List,
  LiteralMap,
  noOverload,
  Optional,
  Timestamp,
  TypeValue,
  typeOf,
  Uint,
  type Value,
} from "./values.ts";

/** The target, if any, is the first argument. */
export type CelFunction = (...args: readonly Value[]) => Value;

const listOf = (value: Value | undefined): List => (value !== undefined && isList(value) ? value : noOverload());
const array = (value: Value | undefined): Value[] => [...itemsOf(listOf(value))];
const intOf = (value: Value | undefined): number => (typeof value === "bigint" ? Number(value) : noOverload());

function sizeOf(value: Value): bigint {
  if (typeof value === "string") return BigInt(Array.from(value).length);
  if (value instanceof Uint8Array) return BigInt(value.length);
  return isList(value) || isMap(value) ? BigInt(value.size) : noOverload();
}

function matches(text: Value, pattern: Value): Value {
  if (typeof text !== "string" || typeof pattern !== "string") return noOverload();
  const compiled = compilePattern(pattern);
  if (typeof compiled === "string") throw new CelError(compiled);
  return matchesPattern(compiled, text);
}

function findAll(text: Value, pattern: Value, limit: Value = -1n): Value {
  if (typeof text !== "string" || typeof pattern !== "string") return noOverload();
  const compiled = compilePattern(pattern);
  if (typeof compiled === "string") throw new CelError(`Illegal regex: ${compiled}`);
  const matcher = compiled.matcher(text);
  const found: string[] = [];
  const max = intOf(limit);
  while ((max < 0 || found.length < max) && matcher.find()) found.push(matcher.group() ?? "");
  return new ArrayList(found);
}

const extreme =
  (name: string, sign: number): CelFunction =>
  (list) => {
    let best: Value | undefined;
    for (const item of itemsOf(listOf(list))) {
      if (best === undefined) best = item;
      else if ((compare(best, item) ?? noOverload()) === sign) best = item;
    }
    if (best === undefined) throw new CelError(`${name} called on empty list`);
    return best;
  };

function sum(list: Value): Value {
  const items = array(list);
  const plus = BINARY["_+_"] as (a: Value, b: Value) => Value;
  const [first] = items;
  if (first === undefined) return 0n;
  return items.slice(1).reduce((total, item) => plus(total, item), first);
}

function isSorted(list: Value): Value {
  const items = array(list);
  return items.every((item, i) => i === 0 || (compare(items[i - 1] as Value, item) ?? noOverload()) <= 0);
}

function sortByKeys(list: Value, keys: Value): Value {
  const [items, order] = [array(list), array(keys)];
  if (items.length !== order.length) {
    const sizes = `${items.length} and ${order.length} elements respectively`;
    throw new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes}`,
    );
  }
  const first = order[0];
  if (first === undefined) return list;
  if (compare(first, first) === undefined) throw new CelError("list elements must be comparable");
  if (order.some((key) => typeOf(key).kind !== typeOf(first).kind)) {
    throw new CelError("list elements must have the same type");
  }
  const indexes = items.map((_, i) => i);
  indexes.sort((a, b) => compare(order[a] as Value, order[b] as Value) ?? 0);
  return new ArrayList(indexes.map((i) => items[i] as Value));
}

function slice(list: Value, from: Value, to: Value): Value {
  const items = array(list);
  const [start, end] = [intOf(from), intOf(to)];
  const what = `cannot slice(${start}, ${end})`;
  if (start < 0 || end < 0) throw new CelError(`${what}, negative indexes not supported`);
  if (start > end) throw new CelError(`${what}, start index must be less than or equal to end index`);
  if (items.length < end) throw new CelError(`${what}, list is length ${items.length}`);
  return new ArrayList(items.slice(start, end));
}

function flatten(list: Value, depth: Value = 1n): Value {
  if (intOf(depth) < 0) throw new CelError("level must be non-negative");
  const flat = (items: Value[], left: number): Value[] =>
    items.flatMap((item) => (isList(item) && left > 0 ? flat(array(item), left - 1) : [item]));
  return new ArrayList(flat(array(list), intOf(depth)));
}

function distinct(list: Value): Value {
  const kept: Value[] = [];
  for (const item of itemsOf(listOf(list))) if (!kept.some((other) => equal(other, item))) kept.push(item);
  return new ArrayList(kept);
}

const has = (list: readonly Value[], item: Value): boolean => list.some((each) => equal(each, item));

const optionalOf = (value: Value | undefined): Optional => (value instanceof Optional ? value : noOverload());

function unwrap(list: Value): Value {
  const values = array(list).map((item) => optionalOf(item).value);
  return new ArrayList(values.filter((value) => value !== undefined));
}

function isZero(value: Value): boolean {
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration || value instanceof Timestamp) return value instanceof Duration && value.nanos === 0n;
  if (value instanceof Optional) return value.value === undefined || isZero(value.value);
  if (isList(value) || isMap(value)) return value.size === 0;
  return value === null || value === false || value === 0n || value === 0 || value === "";
}

function mapInsert(map: Value, key: Value, value?: Value): Value {
  if (!(map instanceof LiteralMap)) return noOverload();
  const insert = (into: LiteralMap, k: Value, v: Value): LiteralMap => {
    if (into.get(k) !== undefined) throw new CelError(`insert failed: key ${String(k)} already exists`);
    return into.with(k, v);
  };
  if (value !== undefined) return insert(map, key, value);
  if (!isMap(key)) return noOverload();
  return key.keys().reduce<LiteralMap>((into, k) => insert(into, k, key.get(k) as Value), map);
}

/** The time of day in UTC, or at a fixed offset from it. */
function zoned(time: Timestamp, zone: Value | undefined): ReturnType<typeof civilTime> {
  if (zone === undefined || zone === "UTC" || zone === "") return civilTime(time.nanos);
  const match = typeof zone === "string" ? /^([+-]?)(\d{2}):(\d{2})$/.exec(zone) : null;
  // Deviation: names of zones would need the host's tables, which differ between hosts.
  if (match === null) throw new CelError(`unknown time zone ${String(zone)}`);
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return civilTime(time.nanos + BigInt(match[1] === "-" ? -minutes : minutes) * 60_000_000_000n);
}

const timePart =
  (read: (time: ReturnType<typeof civilTime>) => number, ofDuration?: (nanos: bigint) => bigint): CelFunction =>
  (time, zone) => {
    if (time instanceof Timestamp) return BigInt(read(zoned(time, zone)));
    return time instanceof Duration && ofDuration !== undefined ? ofDuration(time.nanos) : noOverload();
  };

const TIMES: Readonly<Record<string, CelFunction>> = {
  getFullYear: timePart(({ year }) => year),
  getMonth: timePart(({ month }) => month - 1),
  getDate: timePart(({ day }) => day),
  getDayOfMonth: timePart(({ day }) => day - 1),
  getDayOfWeek: timePart(({ weekday }) => weekday),
  getDayOfYear: timePart(({ yearDay }) => yearDay),
  getHours: timePart(
    ({ hour }) => hour,
    (nanos) => nanos / 3_600_000_000_000n,
  ),
  getMinutes: timePart(
    ({ minute }) => minute,
    (nanos) => nanos / 60_000_000_000n,
  ),
  getSeconds: timePart(
    ({ second }) => second,
    (nanos) => nanos / 1_000_000_000n,
  ),
  getMilliseconds: timePart(
    ({ nanos }) => Math.trunc(nanos / 1_000_000),
    (nanos) => nanos / 1_000_000n,
  ),
};

export const CEL_FUNCTIONS: Readonly<Record<string, CelFunction>> = {
  __proto__: null as never,
  ...(CONVERSIONS as Readonly<Record<string, CelFunction>>),
  ...(BINARY as Readonly<Record<string, CelFunction>>),
  ...STRINGS,
  ...TIMES,
  ...KUBERNETES,
  "!_": (value) => (typeof value === "boolean" ? !value : noOverload()),
  "-_": negate as CelFunction,
  size: sizeOf as CelFunction,
  type: ((value: Value) => new TypeValue(typeOf(value))) as CelFunction,
  matches: matches as CelFunction,
  find: ((text: Value, pattern: Value) => {
    const found = findAll(text, pattern, 1n) as ArrayList;
    return found.size === 0 ? "" : found.at(0);
  }) as CelFunction,
  findAll: findAll as CelFunction,
  format: ((text: Value, args: Value) =>
    typeof text === "string" ? formatString(text, array(args)) : noOverload()) as CelFunction,
  min: extreme("min", 1),
  max: extreme("max", -1),
  sum: sum as CelFunction,
  isSorted: isSorted as CelFunction,
  sort: ((list: Value) => sortByKeys(list, list)) as CelFunction,
  "@sortByAssociatedKeys": sortByKeys as CelFunction,
  slice: slice as CelFunction,
  flatten: flatten as CelFunction,
  distinct: distinct as CelFunction,
  reverse: ((list: Value) => new ArrayList(array(list).reverse())) as CelFunction,
  "lists.range": ((count: Value) =>
    new ArrayList(Array.from({ length: intOf(count) }, (_, i) => BigInt(i)))) as CelFunction,
  first: ((list: Value) => new Optional(array(list)[0])) as CelFunction,
  last: ((list: Value) => new Optional(array(list).at(-1))) as CelFunction,
  "sets.contains": ((a: Value, b: Value) => array(b).every((item) => has(array(a), item))) as CelFunction,
  "sets.equivalent": ((a: Value, b: Value) =>
    array(b).every((item) => has(array(a), item)) && array(a).every((item) => has(array(b), item))) as CelFunction,
  "sets.intersects": ((a: Value, b: Value) => array(b).some((item) => has(array(a), item))) as CelFunction,
  "optional.of": ((value: Value) => new Optional(value)) as CelFunction,
  "optional.ofNonZeroValue": ((value: Value) => (isZero(value) ? new Optional() : new Optional(value))) as CelFunction,
  "optional.none": () => new Optional(),
  "optional.unwrap": unwrap as CelFunction,
  unwrapOpt: unwrap as CelFunction,
  hasValue: ((value: Value) => optionalOf(value).value !== undefined) as CelFunction,
  value: ((value: Value) => {
    const found = optionalOf(value).value;
    if (found === undefined) throw new CelError("optional.none() dereference");
    return found;
  }) as CelFunction,
  "cel.@mapInsert": mapInsert as CelFunction,
};
