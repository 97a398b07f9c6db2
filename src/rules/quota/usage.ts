// Arithmetic on usage: amounts by resource name, never changed in place.
// Upstream: k8s.io/apiserver/pkg/quota/v1/resources.go

import { parseQuantity } from "#api/quantity-parser.ts";
import { type Amounts, addTo, type ReadonlyAmounts } from "#rules/resource-amounts.ts";

const ZERO = parseQuantity("0");

export function addUsage(a: ReadonlyAmounts, b: ReadonlyAmounts): Amounts {
  const sum = new Map(a);
  addTo(sum, b);
  return sum;
}

/** a - b, at least zero. */
export function subtractUsage(a: ReadonlyAmounts, b: ReadonlyAmounts): Amounts {
  const rest: Amounts = new Map();
  for (const [name, amount] of a) {
    const taken = b.get(name);
    const left = taken === undefined ? amount : amount.sub(taken);
    rest.set(name, left.sign > 0 ? left : ZERO);
  }
  for (const name of b.keys()) if (!rest.has(name)) rest.set(name, ZERO);
  return rest;
}

/** Only the amounts with these names. */
export function maskUsage(usage: ReadonlyAmounts, names: Iterable<string>): Amounts {
  const wanted = new Set(names);
  return new Map([...usage].filter(([name]) => wanted.has(name)));
}

export function usageEquals(a: ReadonlyAmounts, b: ReadonlyAmounts): boolean {
  return a.size === b.size && [...a].every(([name, amount]) => b.get(name)?.equals(amount));
}

/** The names, in order, whose amount exceeds the limit. */
export function exceededBy(usage: ReadonlyAmounts, limit: ReadonlyAmounts): string[] {
  const exceeded = [...limit].filter(([name, most]) => (usage.get(name)?.cmp(most) ?? 0) > 0);
  return exceeded.map(([name]) => name).sort();
}

export function negativeNames(usage: ReadonlyAmounts): string[] {
  return [...usage].filter(([, amount]) => amount.sign < 0).map(([name]) => name);
}

export function withoutZeros(usage: ReadonlyAmounts): Amounts {
  return new Map([...usage].filter(([, amount]) => !amount.isZero));
}

/** "cpu=1,memory=2Gi": amounts in refusals. */
export function printUsage(usage: ReadonlyAmounts): string {
  return [...usage.keys()]
    .sort()
    .map((name) => `${name}=${usage.get(name)}`)
    .join(",");
}
