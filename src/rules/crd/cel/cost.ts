// What calls cost, so that rules have a budget. Upstream: github.com/google/cel-go/interpreter/runtimecost.go;
// k8s.io/apiserver/pkg/cel/library/cost.go

import { byteLength } from "#api/go-text.ts";
import type { Cidr, Ip } from "./addresses.ts";
import { REGEX_FACTOR, STRING_FACTOR } from "./sizes.ts";
import { isList, isMap, itemsOf, type NamedFormat, Opaque, Optional, type Value } from "./values.ts";

/** One call of one rule. */
export const COST_PER_CALL_MAX = 1_000_000;
/** All rules of one object. */
export const COST_PER_OBJECT_MAX = 10_000_000;

export class CostLimitExceeded extends Error {
  override readonly name = "CostLimitExceeded";
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
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

const traversal = (size: number, factor = 1): number => Math.ceil(size * factor * STRING_FACTOR);

const regex = (text: number, pattern: number): number => traversal(1 + text) * Math.ceil(pattern * REGEX_FACTOR);

/** A walk over all that a value holds. */
function walk(value: Value | undefined): number {
  if (value === undefined) return 1;
  if (typeof value === "string") return Math.floor(byteLength(value) * STRING_FACTOR);
  if (value instanceof Uint8Array) return Math.floor(value.length * STRING_FACTOR);
  if (isList(value)) {
    let total = 0;
    for (const item of itemsOf(value)) total += walk(item);
    return total;
  }
  return isMap(value) ? value.size : 1;
}

function selfCompare(list: Value | undefined): number {
  // A failed argument has no items.
  const items = list === undefined || list === null || !isList(list) ? undefined : list;
  const size = items?.size ?? 1;
  const first = items !== undefined && size > 0 ? items.at(0) : undefined;
  const factor = typeof first === "string" || first instanceof Uint8Array ? 2 + STRING_FACTOR : 2;
  return Math.trunc(size * size * factor) + 11;
}

export function callCost(name: string, args: readonly Value[], result: Value): number {
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
    case "startsWith":
    case "endsWith":
    case "strings.quote":
    case "format":
      return traversal(size(0));
    case "ip":
      return typeof args[0] === "string" ? traversal(size(0)) : 1;
    case "replace":
    case "split":
    case "ip.isCanonical":
      return traversal(size(0), 2);
    case "join":
      return traversal(sizeOf(result), 2);
    case "find":
    case "findAll":
    case "matches":
      return regex(size(0), size(1));
    case "contains":
      return traversal(size(0)) * traversal(size(1));
    case "validate":
      return args[0] instanceof Opaque ? regex(size(1), (args[0].value as NamedFormat).regexSize) : 1;
    case "containsIP":
      return traversal(size(0), 2) + (typeof args[1] === "string" ? traversal(size(1)) : 0);
    case "containsCIDR":
      return traversal(size(0), 2) + traversal(size(0)) + 1 + (typeof args[1] === "string" ? traversal(size(1)) : 0);
    case "@in":
      return isList(args[1] as Value) ? size(1) : 1;
    case "_==_":
    case "_!=_":
      return args[0] instanceof Opaque ? 1 : traversal(Math.min(size(0), size(1)));
    case "_<_":
    case "_<=_":
    case "_>_":
    case "_>=_":
      return typeof args[0] === "string" ? traversal(Math.min(size(0), size(1))) : 1;
    case "_+_":
      return typeof args[0] === "string" ? traversal(size(0) + size(1)) : 1;
    case "slice":
    case "lists.range":
    case "reverse":
      return sizeOf(result) + 11;
    case "flatten":
      return Math.trunc(size(0) * (args[1] === undefined ? 1 : Number(args[1]))) + 11;
    case "sets.contains":
    case "sets.intersects":
      return size(0) * size(1) + 1;
    case "sets.equivalent":
      return 2 * size(0) * size(1) + 1;
    case "distinct":
    case "sort":
      return selfCompare(args[0]);
    case "@sortByAssociatedKeys":
      return selfCompare(args[1]);
    default:
      return 1;
  }
}
