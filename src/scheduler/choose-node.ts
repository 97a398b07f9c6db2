// Chooses the node for a pod: all filters, then the scores of the remaining nodes.
// Upstream: pkg/scheduler/schedule_one.go, schedulePod; apis/config/v1/default_plugins.go for order and weights

import { ValueError } from "#api/errors.ts";
import type { Rng } from "#base/rng.ts";
import { type AffinityTerms, affinityTerms, knownAffinityTerms, NO_TERMS, type TermSubject } from "./affinity-terms.ts";
import type { ClusterObjects } from "./cluster-objects.ts";
import type { ClusterState } from "./cluster-state.ts";
import { filterHostPorts } from "./filters/host-ports.ts";
import {
  filterNodeAffinity,
  filterNodeName,
  filterTaints,
  filterUnschedulable,
  namedNodes,
  type TolerationOptions,
} from "./filters/node-constraints.ts";
import { filterPodAffinity } from "./filters/pod-affinity.ts";
import { filterResources } from "./filters/resource-fit.ts";
import { filterTopologySpread } from "./filters/topology-spread.ts";
import { filterVolumeBinding, type VolumePlan, type VolumePlans } from "./filters/volume-binding.ts";
import { filterVolumeLimits } from "./filters/volume-limits.ts";
import { filterVolumeRestrictions } from "./filters/volume-restrictions.ts";
import { filterVolumeZone } from "./filters/volume-zone.ts";
import { type FitFailure, NO_NODES, rejectedByAll, rejectedByEach } from "./fit-failure.ts";
import type { NodeState } from "./node-state.ts";
import type { PodFacts } from "./pod-facts.ts";
import { type NodeFilter, type PreparedFilter, type Rejection, unresolvable } from "./rejection.ts";
import { scoreImages } from "./scores/image-locality.ts";
import { scoreNodeAffinity, scoreTaints } from "./scores/node-preferences.ts";
import type { Scores } from "./scores/normalize.ts";
import { scorePodAffinity } from "./scores/pod-affinity.ts";
import { scoreBalance, scoreLeastAllocated } from "./scores/resource-balance.ts";
import { scoreTopologySpread } from "./scores/topology-spread.ts";

const MIN_NODES_TO_FIND = 100;
const MIN_PERCENT_TO_FIND = 5;
const CLAIMS_LEFT_OUT = unresolvable(
  "DynamicResources",
  "pod uses resource claims, which this scheduler does not allocate",
);

export interface Choice {
  readonly node: NodeState;
  /** The volume writes that are needed first for the pod's unbound claims. */
  readonly volumes: VolumePlan | undefined;
}

export interface ChooserOptions extends TolerationOptions {
  readonly state: ClusterState;
  readonly objects: ClusterObjects;
  readonly rng: Rng;
}

export class NodeChooser {
  readonly #options: ChooserOptions;
  /** The start of the next search, so that all nodes have the same chance. */
  #start = 0;

  constructor(options: ChooserOptions) {
    this.#options = options;
  }

  choose(facts: PodFacts): Choice | FitFailure {
    const plans: VolumePlans = new Map();
    const fitting = this.fittingNodes(facts, plans);
    if ("message" in fitting) return fitting;
    const [first] = fitting;
    const node = fitting.length === 1 && first !== undefined ? first : this.#best(fitting, this.rank(facts, fitting));
    return { node, volumes: plans.get(node) };
  }

  /** The nodes that pass all filters; in a large cluster, enough of them. */
  fittingNodes(facts: PodFacts, plans: VolumePlans): readonly NodeState[] | FitFailure {
    const { state } = this.#options;
    const all = state.nodes;
    if (all.length === 0) return NO_NODES;
    const filters: NodeFilter[] = [];
    for (const prepared of this.#preparedFilters(facts, plans)) {
      if (prepared === undefined) continue;
      if (typeof prepared !== "function") return rejectedByAll(prepared, all.length);
      filters.push(prepared);
    }
    const names = namedNodes(facts.pod);
    const nodes = names === undefined ? all : [...names].flatMap((name) => state.node(name) ?? []);
    const rejections = new Map<NodeState, Rejection>();
    const fitting = this.#search(nodes, filters, rejections);
    return fitting.length > 0 ? fitting : rejectedByEach(facts.pod, rejections, all.length);
  }

  /** The total scores, in the order of the nodes. */
  rank(facts: PodFacts, nodes: readonly NodeState[]): Float64Array {
    const totals = new Float64Array(nodes.length);
    for (const [weight, scores] of this.#weightedScores(facts, nodes)) {
      if (scores === undefined) continue;
      for (let index = 0; index < totals.length; index++) {
        totals[index] = (totals[index] ?? 0) + weight * (scores[index] ?? 0);
      }
    }
    return totals;
  }

  /** One by one: after a rejection the other filters are not prepared. */
  *#preparedFilters(facts: PodFacts, plans: VolumePlans): Iterable<PreparedFilter> {
    const { pod, resources, hostPorts } = facts;
    const { state, objects } = this.#options;
    if ((pod.spec?.resourceClaims ?? []).length > 0) yield CLAIMS_LEFT_OUT;
    yield filterUnschedulable(pod, this.#options);
    yield filterNodeName(pod);
    yield filterTaints(pod, this.#options);
    yield filterNodeAffinity(pod);
    yield filterHostPorts(hostPorts);
    yield filterResources(resources);
    if ((pod.spec?.volumes ?? []).length > 0) {
      yield filterVolumeRestrictions(pod, state, objects);
      yield filterVolumeLimits(pod, objects);
      yield filterVolumeBinding(pod, objects, plans);
      yield filterVolumeZone(pod, objects);
    }
    yield filterTopologySpread(pod, state, objects, this.#options);
    const terms = parsedTerms(facts);
    yield "reasons" in terms ? terms : filterPodAffinity(subjectOf(facts), terms, state, objects);
  }

  *#weightedScores(facts: PodFacts, nodes: readonly NodeState[]): Iterable<readonly [number, Scores]> {
    const { pod, resources } = facts;
    const { state, objects } = this.#options;
    yield [3, scoreTaints(pod, nodes, this.#options)];
    yield [2, scoreNodeAffinity(pod, nodes)];
    yield [1, scoreLeastAllocated(resources, nodes)];
    yield [2, scoreTopologySpread(pod, nodes, state, objects, this.#options)];
    yield [2, scorePodAffinity(subjectOf(facts), knownAffinityTerms(pod), nodes, state, objects)];
    yield [1, scoreBalance(resources, nodes)];
    yield [1, scoreImages(pod, nodes, state)];
  }

  #search(
    nodes: readonly NodeState[],
    filters: readonly NodeFilter[],
    rejections: Map<NodeState, Rejection>,
  ): readonly NodeState[] {
    const wanted = nodesToFind(nodes.length);
    const fitting: NodeState[] = [];
    let seen = 0;
    for (; seen < nodes.length && fitting.length < wanted; seen++) {
      const node = nodes[(this.#start + seen) % nodes.length] as NodeState;
      const rejection = firstRejection(node, filters);
      if (rejection === undefined) fitting.push(node);
      else rejections.set(node, rejection);
    }
    this.#start = (this.#start + seen) % this.#options.state.nodes.length;
    return fitting;
  }

  /** A random one of the best. */
  #best(nodes: readonly NodeState[], scores: Float64Array): NodeState {
    let highest = Number.NEGATIVE_INFINITY;
    let best: NodeState[] = [];
    nodes.forEach((node, index) => {
      const score = scores[index] ?? 0;
      if (score < highest) return;
      if (score > highest) best = [];
      highest = score;
      best.push(node);
    });
    return best[best.length === 1 ? 0 : this.#options.rng.below(best.length)] as NodeState;
  }
}

function subjectOf({ pod: { metadata } }: PodFacts): TermSubject {
  return { namespace: metadata.namespace, labels: metadata.labels };
}

function firstRejection(node: NodeState, filters: readonly NodeFilter[]): Rejection | undefined {
  for (const filter of filters) {
    const rejection = filter(node);
    if (rejection !== undefined) return rejection;
  }
  return undefined;
}

function parsedTerms({ pod }: PodFacts): AffinityTerms | Rejection {
  const affinity = pod.spec?.affinity;
  if (affinity === undefined) return NO_TERMS;
  try {
    return affinityTerms(affinity, pod.metadata.namespace);
  } catch (error) {
    if (error instanceof ValueError) return unresolvable("InterPodAffinity", `parsing pod: ${error.message}`);
    throw error;
  }
}

/** In a large cluster half of the nodes or fewer are enough: the larger the cluster, the smaller the share. */
export function nodesToFind(nodeCount: number): number {
  if (nodeCount < MIN_NODES_TO_FIND) return nodeCount;
  const percent = Math.max(MIN_PERCENT_TO_FIND, 50 - Math.trunc(nodeCount / 125));
  return Math.max(MIN_NODES_TO_FIND, Math.trunc((nodeCount * percent) / 100));
}
