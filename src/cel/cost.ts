// The costs of calls, for the budget of rules. Upstream: github.com/google/cel-go/interpreter/runtimecost.go;
// k8s.io/apiserver/pkg/cel/library/cost.go

import { byteLength } from "#api/go-text.ts";
import type { Cidr, Ip } from "./addresses.ts";
import { REGEX_FACTOR, STRING_FACTOR } from "./sizes.ts";
import { isList, isMap, itemsOf, type MapLike, type NamedFormat, Opaque, Optional, type Value } from "./values.ts";

/** The limit for one call of one rule. */
export const COST_PER_CALL_MAX = 1_000_000;
/** The limit for all rules of one object. */
export const COST_PER_OBJECT_MAX = 10_000_000;

export const LIST_COST = 10;
export const MAP_COST = 30;

export class CostLimitExceeded extends Error {
  override readonly name = "CostLimitExceeded";
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** Upstream cannot compute the cost of such a call with a failed argument, and stops with this error. */
export class CostPanic extends Error {
  override readonly name = "CostPanic";
  constructor() {
    super("internal error: interface conversion: *types.Err is not traits.Lister: missing method Add");
  }
}

function sizeOf(value: Value | undefined): number {
  if (typeof value === "string") return charactersOf(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Optional) return value.value === undefined ? 1 : sizeOf(value.value);
  if (value instanceof Opaque) {
    if (value.type === "net.IP") return (value.value as Ip).bytes.length;
    if (value.type === "net.CIDR") return Math.ceil((value.value as Cidr).bits / 8);
    return 1;
  }
  if (value !== undefined && (isList(value) || isMap(value))) return value.size;
  return 1;
}

export const charactersOf = (text: string): number =>
  /[\ud800-\udfff]/.test(text) ? Array.from(text).length : text.length;

/** Overloads that compare texts, or values of any kind. */
export const COMPARISON: RegExp = /^(?:(?:less|greater)(?:_equals)?_(?:string|bytes)|equals|not_equals)$/;

const traversal = (size: number, factor = 1): number => Math.ceil(size * factor * STRING_FACTOR);

const regex = (text: number, pattern: number): number => traversal(1 + text) * Math.ceil(pattern * REGEX_FACTOR);

/** Visits everything in a value. */
function walk(value: Value | undefined): number {
  if (value === undefined) return 1;
  if (typeof value === "string") return Math.floor(byteLength(value) * STRING_FACTOR);
  if (value instanceof Uint8Array) return Math.floor(value.length * STRING_FACTOR);
  const parts = isList(value) ? [...itemsOf(value)] : isMap(value) ? entriesOf(value) : undefined;
  return parts === undefined ? 1 : parts.reduce<number>((total, part) => total + walk(part), 0);
}

const entriesOf = (map: MapLike): (Value | undefined)[] => map.keys().flatMap((key) => [key, map.get(key)]);

function selfCompare(list: Value | undefined): number {
  if (list === undefined || list === null || !isList(list)) throw new CostPanic();
  const { size } = list;
  const first = size > 0 ? list.at(0) : undefined;
  const factor = typeof first === "string" || first instanceof Uint8Array ? 2 + STRING_FACTOR : 2;
  return Math.trunc(size * size * factor) + 11;
}

/** `overload`: "" if the types alone do not determine it; the call then has the default cost. */
export function callCost(name: string, overload: string, args: readonly Value[], result: Value): number {
  return listCost(overload, args, result) ?? libraryCost(name, overload, args, result) ?? standardCost(overload, args);
}

function listCost(overload: string, args: readonly Value[], result: Value): number | undefined {
  const size = (i: number): number => sizeOf(args[i]);
  switch (overload) {
    case "list_slice":
    case "lists_range":
    case "list_reverse":
      return sizeOf(result) + 11;
    case "list_flatten":
    case "list_flatten_int":
      return Math.trunc(size(0) * (args[1] === undefined ? 1 : Number(args[1]))) + 11;
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
      return size(0) * size(1) + 1;
    case "list_sets_equivalent_list":
      return 2 * size(0) * size(1) + 1;
    case "list_distinct":
      return selfCompare(args[0]);
    default: {
      const sorted = /^list_.+_sort(ByAssociatedKeys)?$/.exec(overload);
      return sorted === null ? undefined : selfCompare(args[sorted[1] === undefined ? 0 : 1]);
    }
  }
}

function libraryCost(name: string, overload: string, args: readonly Value[], result: Value): number | undefined {
  const size = (i: number): number => sizeOf(args[i]);
  switch (name) {
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return walk(args[0]);
    case "url":
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
    case "cidr":
    case "isIP":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
      return traversal(size(0));
    case "ip":
      return overload === "cidr_ip" ? 1 : traversal(size(0));
    case "replace":
    case "split":
    case "ip.isCanonical":
      return traversal(size(0), 2);
    case "join":
      return traversal(sizeOf(result), 2);
    case "find":
    case "findAll":
      return regex(size(0), size(1));
    case "validate":
      return args[0] instanceof Opaque ? regex(size(1), (args[0].value as NamedFormat).regexSize) : 1;
    case "containsIP":
      return traversal(size(0), 2) + (overload === "cidr_contains_ip_string" ? traversal(size(1)) : 0);
    case "containsCIDR": {
      const parsed = overload === "cidr_contains_cidr_string" ? traversal(size(1)) : 0;
      return traversal(size(0), 2) + traversal(size(0)) + 1 + parsed;
    }
    case "_==_":
      return args[0] instanceof Opaque ? 1 : undefined;
    default:
      return undefined;
  }
}

function standardCost(overload: string, args: readonly Value[]): number {
  const size = (i: number): number => sizeOf(args[i]);
  switch (overload) {
    case "starts_with_string":
    case "ends_with_string":
    case "string_to_bytes":
    case "bytes_to_string":
    case "strings_quote":
    case "string_format":
      return traversal(size(0));
    case "in_list":
      return size(1);
    case "add_string":
    case "add_bytes":
      return traversal(size(0) + size(1));
    case "matches_string":
      return regex(size(0), size(1));
    case "contains_string":
      return traversal(size(0)) * traversal(size(1));
    default:
      return COMPARISON.test(overload) ? traversal(Math.min(size(0), size(1))) : 1;
  }
}
