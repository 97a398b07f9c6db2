// Checks that pods stay evenly spread with the pod on the node.
// Upstream: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import type { ClusterObjects } from "../cluster-objects.ts";
import type { ClusterState } from "../cluster-state.ts";
import { type PreparedFilter, resolvable, unresolvable } from "../rejection.ts";
import {
  hasTopologyKeys,
  matchingPods,
  nodeCounter,
  type SpreadConstraint,
  spreadConstraints,
} from "../spread-constraints.ts";
import type { TolerationOptions } from "./node-constraints.ts";

const SKEWED = resolvable("PodTopologySpread", "node(s) didn't match pod topology spread constraints");
const NO_KEY = unresolvable(
  "PodTopologySpread",
  "node(s) didn't match pod topology spread constraints (missing required label)",
);

interface Spread {
  readonly constraint: SpreadConstraint;
  readonly countByDomain: ReadonlyMap<string, number>;
  /** The count of the domain with the fewest pods. */
  readonly min: number;
  readonly self: 0 | 1;
}

export function filterTopologySpread(
  pod: Stored<Pod>,
  state: ClusterState,
  objects: ClusterObjects,
  options: TolerationOptions,
): PreparedFilter {
  const constraints = spreadConstraints(pod, "DoNotSchedule", objects);
  if (constraints.length === 0) return undefined;
  const spreads = constraints.map((constraint) => spreadOf(constraint, constraints, pod, state, options));
  return ({ labels }) => {
    for (const { constraint, countByDomain, min, self } of spreads) {
      const domain = labels[constraint.topologyKey];
      if (domain === undefined) return NO_KEY;
      if ((countByDomain.get(domain) ?? 0) + self - min > constraint.maxSkew) return SKEWED;
    }
    return undefined;
  };
}

/** Only nodes with the keys of all constraints are counted. */
function spreadOf(
  constraint: SpreadConstraint,
  constraints: readonly SpreadConstraint[],
  pod: Stored<Pod>,
  state: ClusterState,
  options: TolerationOptions,
): Spread {
  const { selector, topologyKey, minDomains } = constraint;
  const counts = matchingPods(selector, pod.metadata.namespace, state);
  const countsNode = nodeCounter(constraint, pod, options);
  const countByDomain = new Map<string, number>();
  for (const node of state.nodes) {
    if (!hasTopologyKeys(constraints, node) || !countsNode(node)) continue;
    const domain = node.labels[topologyKey] ?? "";
    countByDomain.set(domain, (countByDomain.get(domain) ?? 0) + (counts.get(node) ?? 0));
  }
  let min = Number.MAX_SAFE_INTEGER;
  for (const count of countByDomain.values()) min = Math.min(min, count);
  if (countByDomain.size < minDomains) min = 0;
  return { constraint, countByDomain, min, self: selector.matches(pod.metadata.labels) ? 1 : 0 };
}
