// Amounts of resources by name for sums and comparisons: quantities are parsed once.
// Upstream: component-helpers resource/helpers.go; apiserver pkg/quota/v1/resources.go

import { maxQuantity, type Quantity } from "#api/quantity.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";

export type Amounts = Map<string, Quantity>;
export type ReadonlyAmounts = ReadonlyMap<string, Quantity>;
export type WireAmounts = Readonly<Record<string, string | number>>;

/** Throws a ValueError for an invalid quantity; stored objects have none. */
export function readAmounts(wire: WireAmounts | undefined): Amounts {
  const amounts: Amounts = new Map();
  for (const name in wire) amounts.set(name, quantityFromWire(wire[name]));
  return amounts;
}

/** The wire form, with names in order. */
export function writeAmounts(amounts: ReadonlyAmounts): Record<string, string> {
  return Object.fromEntries([...amounts.keys()].sort().map((name) => [name, String(amounts.get(name))]));
}

export function addTo(into: Amounts, more: ReadonlyAmounts): void {
  for (const [name, amount] of more) into.set(name, into.get(name)?.add(amount) ?? amount);
}

/** Raises each amount to at least the floor. */
export function raiseTo(into: Amounts, floor: ReadonlyAmounts): void {
  for (const [name, amount] of floor) {
    const known = into.get(name);
    into.set(name, known === undefined ? amount : maxQuantity(known, amount));
  }
}

/** The larger of each amount. */
export function maxAmounts(...lists: readonly ReadonlyAmounts[]): Amounts {
  const result: Amounts = new Map();
  for (const list of lists) raiseTo(result, list);
  return result;
}
