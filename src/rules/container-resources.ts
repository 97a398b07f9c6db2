// What the containers of a pod ask for together, from the spec alone: the sum of regular containers
// and sidecars, or the most that one init container needs with the sidecars started before it.
// Upstream: component-helpers resource/helpers.go, AggregateContainerRequests, AggregateContainerLimits

import { maxQuantity, type Quantity } from "#api/quantity.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";

export type Amounts = Map<string, Quantity>;

interface ContainerLike {
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: WireAmounts; readonly limits?: WireAmounts };
}
type WireAmounts = Readonly<Record<string, string>>;

export interface ContainersLike {
  readonly containers?: readonly ContainerLike[];
  readonly initContainers?: readonly ContainerLike[];
}

export function aggregateContainers(spec: ContainersLike, part: "requests" | "limits"): Amounts {
  const total: Amounts = new Map();
  for (const container of spec.containers ?? []) add(total, amountsOf(container, part));
  const sidecars: Amounts = new Map();
  const initPeak: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container, part);
    if (container.restartPolicy === "Always") {
      add(total, own);
      add(sidecars, own);
      raise(initPeak, sidecars);
    } else {
      add(own, sidecars);
      raise(initPeak, own);
    }
  }
  raise(total, initPeak);
  return total;
}

function amountsOf(container: ContainerLike, part: "requests" | "limits"): Amounts {
  return new Map(
    Object.entries(container.resources?.[part] ?? {}).map(([name, text]) => [name, quantityFromWire(text)]),
  );
}

function add(into: Amounts, more: Amounts): void {
  for (const [name, amount] of more) into.set(name, into.get(name)?.add(amount) ?? amount);
}

function raise(into: Amounts, floor: Amounts): void {
  for (const [name, amount] of floor) {
    const known = into.get(name);
    into.set(name, known === undefined ? amount : maxQuantity(known, amount));
  }
}
