// Estimates the maximum cost of a call, and the size of its result.
// Upstream: k8s.io/apiserver/pkg/cel/library/cost.go, EstimateCallCost;
// github.com/google/cel-go/{checker/cost,ext/lists,ext/sets}.go

import type { Expr } from "./ast.ts";
import { COMPARISON } from "./cost.ts";
import {
  fixed,
  plus,
  product,
  REGEX_FACTOR,
  type Size,
  STRING_FACTOR,
  scaled,
  sum,
  times,
  UNBOUNDED,
  UNKNOWN,
  wrapped,
} from "./sizes.ts";
import { isSameType, type Type } from "./types.ts";

export interface Estimate {
  readonly cost: bigint;
  readonly size?: Size | undefined;
}

/** A target or an argument. */
export interface Operand {
  readonly type: Type;
  readonly expr: Expr;
  readonly size: Size | undefined;
  /** The size of a list's items, as far as the schema limits it. */
  itemSize(): Size | undefined;
}

const sizeOf = (operand: Operand | undefined): Size => operand?.size ?? UNKNOWN;

const traversal = ({ max }: Size, factor = 1): bigint => scaled(max, factor * STRING_FACTOR);

/** With one character more, because patterns also cost something on empty texts. */
const matching = (text: Size, pattern: Size): bigint =>
  times(scaled(plus(text.max, 1n), STRING_FACTOR), scaled(pattern.max, REGEX_FACTOR));

/** Undefined: the default cost of a call. */
export function libraryEstimate(
  name: string,
  overload: string,
  target: Operand | undefined,
  args: readonly Operand[],
): Estimate | undefined {
  const [first, second] = args;
  switch (name) {
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return target && search(target);
    case "url":
      return { cost: traversal(sizeOf(first)), size: sizeOf(first) };
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
      return target && { cost: traversal(sizeOf(target)), size: sizeOf(target) };
    case "replace":
      return target && { cost: traversal(sizeOf(target), 2), size: replaced(target, sizeOf(first), sizeOf(second)) };
    case "split":
      return target && { cost: traversal(sizeOf(target), 2), size: { min: 0n, max: partsOf(target, second) } };
    case "join": {
      const size = target && joined(target, first);
      return size && { cost: traversal(size), size };
    }
    case "find":
    case "findAll":
      return (
        target && {
          cost: matching(sizeOf(target), sizeOf(first)),
          size: { min: 0n, max: sizeOf(target).max },
        }
      );
    case "ip":
      return { cost: overload === "cidr_ip" ? 1n : traversal(sizeOf(first)) };
    case "cidr":
    case "isIP":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
      return { cost: traversal(sizeOf(first)) };
    case "ip.isCanonical":
      return { cost: traversal(sizeOf(first), 2) };
    case "containsIP":
      return { cost: plus(ADDRESSES, overload === "cidr_contains_ip_string" ? traversal(sizeOf(first)) : 0n) };
    case "containsCIDR": {
      const masked = plus(ADDRESSES, traversal(ADDRESS) + 1n);
      return { cost: plus(masked, overload === "cidr_contains_cidr_string" ? traversal(sizeOf(first)) : 0n) };
    }
    case "validate":
      return { cost: scaled(traversal(sizeOf(first)), FORMAT_PATTERN * REGEX_FACTOR) };
    case "_==_":
      return first && second && equality(first, second);
    default:
      return ONE.has(name) ? { cost: 1n } : listEstimate(overload, target, args);
  }
}

/** Addresses have at most 16 bytes; two of them are compared. */
const ADDRESS = fixed(16n);
const ADDRESSES = traversal(fixed(32n));
/** The length of the longest pattern of a named format. */
const FORMAT_PATTERN = 128;
const FORMAT_NAME = fixed(64n);

const ONE: ReadonlySet<string> = new Set(
  (
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast " +
    "format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor " +
    "patch getScheme getHostname getHost getPort getEscapedPath getQuery"
  ).split(" "),
);

/** Visits every item or character. */
function search(target: Operand): Estimate {
  const [item] = target.type.params;
  if (item === undefined) return { cost: traversal(sizeOf(target)) };
  const isText = item.kind === "string" || item.kind === "bytes";
  const each = isText ? plus(1n, traversal(target.itemSize() ?? UNKNOWN)) : 1n;
  return { cost: times(sizeOf(target).max, each) };
}

function replaced(target: Operand, from: Size, to: Size): Size {
  const { min, max } = sizeOf(target);
  const longest = mostOf(max, from.min, () => to.max <= from.min);
  const shortest = mostOf(min, from.max, () => from.max <= to.min);
  return {
    min: plus(times(shortest.count, to.min), shortest.kept),
    max: plus(times(longest.count, to.max), longest.kept),
  };
}

/** How many parts of a text are replaced, and how much of it is kept. */
function mostOf(length: bigint, part: bigint, isKept: () => boolean): { count: bigint; kept: bigint } {
  // Replacing "" inserts the replacement around every character.
  if (part === 0n) return { count: plus(length, 1n), kept: length };
  if (isKept()) return { count: 0n, kept: length };
  const count = Math.ceil(Number(length) / Number(part));
  return { count: count >= 2 ** 64 ? UNBOUNDED : BigInt(count), kept: 0n };
}

function partsOf(target: Operand, limit: Operand | undefined): bigint {
  const given = limit?.expr.kind === "literal" ? limit.expr.value : undefined;
  return typeof given === "bigint" ? wrapped(given) : sizeOf(target).max;
}

function joined(target: Operand, separator: Operand | undefined): Size {
  const count = sizeOf(target);
  const items = target.type.params.length === 0 ? fixed(0n) : product(count, target.itemSize() ?? UNKNOWN);
  if (separator === undefined) return items;
  const between = (items: bigint): bigint => (items > 0n ? items - 1n : 0n);
  return sum(items, product(sizeOf(separator), { min: between(count.min), max: between(count.max) }));
}

const EQUAL_AT_ONCE: ReadonlySet<string> = new Set(["net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"]);

function equality(a: Operand, b: Operand): Estimate | undefined {
  if (!isSameType(a.type, b.type)) return undefined;
  const { name } = a.type;
  if (EQUAL_AT_ONCE.has(name)) return { cost: 1n };
  if (name === "kubernetes.NamedFormat") return { cost: traversal(FORMAT_NAME) };
  // Upstream uses only the right side.
  return name === "kubernetes.URL" ? { cost: traversal(b.size ?? fixed(1n)) } : undefined;
}

function listEstimate(overload: string, target: Operand | undefined, args: readonly Operand[]): Estimate | undefined {
  const [first, second] = args;
  const given = sizeOf(target);
  switch (overload) {
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
      return { cost: plus(scaled(product(sizeOf(first), sizeOf(second)).max, 1), 1n) };
    case "list_sets_equivalent_list":
      return { cost: plus(scaled(product(sizeOf(first), sizeOf(second)).max, 2), 1n) };
    case "list_slice":
      return newList(fixed(wrapped(literalOf(second, given.max) - literalOf(first, 0n))), 1);
    case "lists_range":
      return newList(fixed(literalOf(first, UNBOUNDED)), 1);
    case "list_reverse":
    case "list_flatten":
      return newList(given, 1);
    case "list_flatten_int":
      return newList(given, Number(literalOf(first, UNBOUNDED)));
    case "list_distinct":
      return newList(product(given, given), 2);
    default:
      break;
  }
  const sorted = /^list_(.+)_sort(ByAssociatedKeys)?$/.exec(overload);
  if (sorted === null) return undefined;
  const keys = sorted[2] === undefined ? given : sizeOf(first);
  const isText = sorted[1] === "string" || sorted[1] === "bytes";
  return newList(product(keys, keys), isText ? 2 + STRING_FACTOR : 2);
}

const newList = (size: Size, factor: number): Estimate => ({ cost: plus(scaled(size.max, factor), 11n), size });

function literalOf(operand: Operand | undefined, otherwise: bigint): bigint {
  const value = operand?.expr.kind === "literal" ? operand.expr.value : undefined;
  if (typeof value !== "bigint") return otherwise;
  return value < 0n ? 0n : value;
}

/** For functions of the language itself; undefined for those with cost one. */
export function standardEstimate(
  overload: string,
  target: Operand | undefined,
  args: readonly Operand[],
): Estimate | undefined {
  const [first, second] = args.map(({ size }) => size ?? UNKNOWN) as [Size, Size];
  const given = target?.size ?? UNKNOWN;
  switch (overload) {
    case "string_format":
      return { cost: traversal(given) };
    case "string_to_bytes":
      return { cost: traversal(first), size: { min: first.min, max: wrapped(first.max * 4n) } };
    case "bytes_to_string":
      return { cost: traversal(first), size: { min: first.min / 4n, max: first.max } };
    case "strings_quote":
      return { cost: traversal(first), size: { min: wrapped(first.min + 2n), max: wrapped(first.max * 2n + 2n) } };
    case "starts_with_string":
    case "ends_with_string":
      return { cost: traversal(first) };
    case "in_list":
      return { cost: scaled(second.max, 1) };
    case "matches_string":
      return { cost: matching(given, first) };
    case "contains_string":
      return { cost: times(traversal(given), traversal(first)) };
    default:
      return COMPARISON.test(overload) ? { cost: traversal(first.max < second.max ? first : second) } : undefined;
  }
}
