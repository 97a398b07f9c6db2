// Scores by the spread of pods with the pod on the node: fewer matching pods in its domains are better.
// Upstream: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import type { ClusterObjects } from "../cluster-objects.ts";
import type { ClusterState } from "../cluster-state.ts";
import type { TolerationOptions } from "../filters/node-constraints.ts";
import type { NodeState } from "../node-state.ts";
import {
  HOSTNAME,
  hasTopologyKeys,
  matchingPods,
  nodeCounter,
  type SpreadConstraint,
  spreadConstraints,
} from "../spread-constraints.ts";
import { MAX_SCORE, type Scores } from "./normalize.ts";

interface Spread {
  readonly constraint: SpreadConstraint;
  /** The number of matching pods in the node's domain. */
  countFor(node: NodeState): number;
  readonly weight: number;
}

export function scoreTopologySpread(
  pod: Stored<Pod>,
  nodes: readonly NodeState[],
  state: ClusterState,
  objects: ClusterObjects,
  options: TolerationOptions,
): Scores {
  const constraints = spreadConstraints(pod, "ScheduleAnyway", objects);
  if (constraints.length === 0) return undefined;
  // With the cluster's default constraints, nodes without a zone are spread by their names.
  const requiresKeys = (pod.spec?.topologySpreadConstraints ?? []).length > 0;
  const isCounted = (node: NodeState): boolean => !requiresKeys || hasTopologyKeys(constraints, node);
  const counted = nodes.filter(isCounted);
  const spreads = constraints.map((constraint): Spread => {
    const counts = matchingPods(constraint.selector, pod.metadata.namespace, state);
    if (constraint.topologyKey === HOSTNAME) return byNode(constraint, counts, counted.length);
    const countsNode = nodeCounter(constraint, pod, options);
    return byDomain(constraint, counts, counted, (node) => isCounted(node) && countsNode(node));
  });
  return inverted(nodes.map((node) => (isCounted(node) ? rawScore(node, spreads) : undefined)));
}

/** Larger topologies weigh more, as their domains have fewer pods. */
const sizeWeight = (size: number): number => Math.log(size + 2);

function byNode(constraint: SpreadConstraint, counts: ReadonlyMap<NodeState, number>, size: number): Spread {
  return { constraint, countFor: (node) => counts.get(node) ?? 0, weight: sizeWeight(size) };
}

/**
 * Counts pods anywhere in a domain, even on nodes that the pod cannot use; domains without a fitting node are ignored.
 */
function byDomain(
  constraint: SpreadConstraint,
  counts: ReadonlyMap<NodeState, number>,
  fitting: readonly NodeState[],
  countsPodsOf: (node: NodeState) => boolean,
): Spread {
  const domainOf = ({ labels }: NodeState): string => labels[constraint.topologyKey] ?? "";
  const byValue = new Map(fitting.map((node) => [domainOf(node), 0]));
  for (const [node, count] of counts) {
    const known = byValue.get(domainOf(node));
    if (known !== undefined && countsPodsOf(node)) byValue.set(domainOf(node), known + count);
  }
  return { constraint, countFor: (node) => byValue.get(domainOf(node)) ?? 0, weight: sizeWeight(byValue.size) };
}

function rawScore(node: NodeState, spreads: readonly Spread[]): number {
  let score = 0;
  for (const { constraint, countFor, weight } of spreads) {
    if (node.labels[constraint.topologyKey] === undefined) continue;
    score += countFor(node) * weight + (constraint.maxSkew - 1);
  }
  return Math.round(score);
}

/** Undefined: the node lacks a topology key, which is the worst score. */
function inverted(raw: readonly (number | undefined)[]): readonly number[] {
  const known = raw.filter((score) => score !== undefined);
  const max = Math.max(0, ...known);
  const min = Math.min(...known);
  return raw.map((score) => {
    if (score === undefined) return 0;
    return max === 0 ? MAX_SCORE : Math.trunc((MAX_SCORE * (max + min - score)) / max);
  });
}
