// How many endpoints each zone should have, by the CPU of its nodes. No endpoint may get more than 20 % above its share
// of the traffic; where that is impossible, hints are left out.
// Upstream: k8s.io/endpointslice/topologycache, SetNodes, getAllocations, serviceOverloaded.

import type { Node, NodeStatus } from "#api/generated/types/core-v1.ts";
import { type Quantity, ZERO_QUANTITY } from "#api/quantity.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import { compareText } from "#kit/order.ts";

const OVERLOAD_MAX = 0.2;
const EXCLUDED_ROLES = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];
const ZONE = "topology.kubernetes.io/zone";

/** The share of each zone in the CPU of the cluster. Empty until the first node is seen. */
export type ZoneShares = ReadonlyMap<string, number>;
/** The number of endpoints per hinted zone. */
export type ZoneCounts = ReadonlyMap<string, number>;

export interface Allocation {
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}

/** Undefined: a ready node has no zone or no CPU, or all are in one zone. */
export function zoneShares(nodes: readonly Node[]): ZoneShares | undefined {
  const cpus = new Map<string, Quantity>();
  let total = ZERO_QUANTITY;
  for (const { metadata, status } of nodes) {
    const { labels = {} } = metadata ?? {};
    if (EXCLUDED_ROLES.some((role) => Object.hasOwn(labels, role)) || !isReady(status)) continue;
    const cpu = quantityFromWire(status?.allocatable?.cpu);
    const zone = labels[ZONE];
    if (!zone || cpu.isZero) return undefined;
    total = total.add(cpu);
    cpus.set(zone, (cpus.get(zone) ?? ZERO_QUANTITY).add(cpu));
  }
  if (cpus.size < 2) return undefined;
  const all = total.milliValue();
  const zones = [...cpus].sort(([a], [b]) => compareText(a, b));
  return new Map(zones.map(([zone, cpu]) => [zone, cpu.milliValue() / all]));
}

export function isReady(status: NodeStatus | undefined): boolean {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

/** A string says why there is no allocation. */
export function allocateZones(
  shares: ZoneShares | undefined,
  endpoints: number,
): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined) {
    return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  }
  if (shares.size < 2) return "Nodes only ready in one zone";
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`;
  if (shares.size > endpoints) return `Insufficient number of endpoints ${counts}`;
  const zones = Array.from(shares, ([zone, share]) => {
    const desired = share * endpoints;
    const minimum = Math.ceil(desired * (1 / (1 + OVERLOAD_MAX)));
    return { zone, minimum, desired: Math.max(desired, minimum) };
  });
  const spare = zones.reduce((rest, { minimum }) => rest - minimum, endpoints);
  if (spare < 0) {
    const reason = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold";
    return `${reason} ${counts}`;
  }
  return new Map(
    zones.map(({ zone, minimum, desired }) => [zone, { minimum, desired, maximum: minimum + spare }] as const),
  );
}

/** A zone has fewer endpoints than it needs. */
export function isOverloaded(counts: ZoneCounts, shares: ZoneShares | undefined): boolean {
  if (counts.size === 0) return false;
  if (shares === undefined || shares.size === 0) return true;
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  return shares.entries().some(([zone, share]) => {
    const count = counts.get(zone);
    return count === undefined || count < Math.ceil(total * share * (1 / (1 + OVERLOAD_MAX)));
  });
}
