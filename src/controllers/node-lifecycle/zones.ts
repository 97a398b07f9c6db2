// Zones of nodes, and how disrupted each one is.
// Upstream: k8s.io/component-helpers/node/topology, GetZoneKey; node_lifecycle_controller.go, ComputeZoneState.

import type { Node, NodeCondition } from "#api/generated/types/core-v1.ts";

/** Initial: not yet computed. */
export type ZoneState = "Initial" | "Normal" | "PartialDisruption" | "FullDisruption";

const ZONE_LABELS = ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"];
const REGION_LABELS = ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"];

/** Region and zone of the node; "" for a node with neither. The NUL keeps names with a colon apart. */
export function zoneOf({ metadata }: Node): string {
  const labels = metadata?.labels ?? {};
  const labelled = (keys: readonly string[]): string => labels[keys.find((key) => key in labels) ?? ""] ?? "";
  const [region, zone] = [labelled(REGION_LABELS), labelled(ZONE_LABELS)];
  return region === "" && zone === "" ? "" : `${region}:\0:${zone}`;
}

/** Such nodes are not counted in any zone. */
export function isExcludedFromDisruption({ metadata }: Node): boolean {
  return "node.kubernetes.io/exclude-disruption" in (metadata?.labels ?? {});
}

export interface ZoneHealth {
  readonly size: number;
  readonly unhealthy: number;
  readonly state: ZoneState;
}

/** By the Ready conditions of the zone's nodes. unhealthyThreshold: a fraction, as a 32-bit float. */
export function healthOfZone(
  conditions: readonly (NodeCondition | undefined)[],
  unhealthyThreshold: number,
): ZoneHealth {
  const size = conditions.length;
  const unhealthy = conditions.filter((condition) => condition?.status !== "True").length;
  return { size, unhealthy, state: stateOf(size, unhealthy, unhealthyThreshold) };
}

function stateOf(size: number, unhealthy: number, threshold: number): ZoneState {
  if (unhealthy > 0 && unhealthy === size) return "FullDisruption";
  // Two failed nodes alone do not mean that the zone is disrupted.
  if (unhealthy > 2 && Math.fround(unhealthy / size) >= Math.fround(threshold)) return "PartialDisruption";
  return "Normal";
}
