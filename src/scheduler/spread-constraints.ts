// The spread constraints of a pod: its own, or the cluster's defaults for pods of a service, a set or a controller.
// Upstream: pkg/scheduler/framework/plugins/podtopologyspread/common.go and plugin.go; plugins/helper/spread.go

import type { Pod, TopologySpreadConstraint } from "#api/generated/types/core-v1.ts";
import { type Selector, selectorFromObject, selectorFromSet } from "#api/label-selector.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { Stored } from "#api/resource.ts";
import { allowsNode } from "#rules/node-affinity.ts";
import type { ClusterObjects } from "./cluster-objects.ts";
import type { ClusterState } from "./cluster-state.ts";
import { type TolerationOptions, toleratesTaints } from "./filters/node-constraints.ts";
import type { NodeState } from "./node-state.ts";

export const HOSTNAME = "kubernetes.io/hostname";

export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly minDomains: number;
  readonly honoursAffinity: boolean;
  readonly honoursTaints: boolean;
}

type Action = "DoNotSchedule" | "ScheduleAnyway";

const DEFAULTS: readonly TopologySpreadConstraint[] = [
  { topologyKey: HOSTNAME, whenUnsatisfiable: "ScheduleAnyway", maxSkew: 3 },
  { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 5 },
];

export function spreadConstraints(
  pod: Stored<Pod>,
  action: Action,
  objects: Pick<ClusterObjects, "services" | "replicationControllers" | "replicaSets" | "statefulSets">,
): readonly SpreadConstraint[] {
  const own = pod.spec?.topologySpreadConstraints ?? [];
  if (own.length > 0) {
    return own
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
      .map((constraint) => parse(constraint, selectorOf(constraint, pod)));
  }
  const defaults = DEFAULTS.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action);
  if (defaults.length === 0) return [];
  const selector = defaultSelector(pod, objects);
  return selector.isEmpty ? [] : defaults.map((constraint) => parse(constraint, selector));
}

function parse(constraint: TopologySpreadConstraint, selector: Selector): SpreadConstraint {
  const { maxSkew, topologyKey, minDomains = 1, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  return {
    maxSkew,
    topologyKey,
    selector,
    minDomains,
    honoursAffinity: nodeAffinityPolicy !== "Ignore",
    honoursTaints: nodeTaintsPolicy === "Honor",
  };
}

/** matchLabelKeys add the pod's own values. */
function selectorOf({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, pod: Stored<Pod>): Selector {
  const selector = selectorFromObject(labelSelector);
  const labels = pod.metadata.labels ?? {};
  const present = matchLabelKeys.filter((key) => Object.hasOwn(labels, key));
  return selector.add(
    ...selectorFromSet(Object.fromEntries(present.map((key) => [key, labels[key] ?? ""]))).requirements,
  );
}

function defaultSelector(
  pod: Stored<Pod>,
  objects: Pick<ClusterObjects, "services" | "replicationControllers" | "replicaSets" | "statefulSets">,
): Selector {
  const { namespace, labels } = pod.metadata;
  let set: Readonly<Record<string, string>> = {};
  for (const { spec } of objects.services.list(undefined, namespace)) {
    const selector = spec?.selector;
    if (selector !== undefined && selectorFromSet(selector).matches(labels)) set = { ...set, ...selector };
  }
  const owner = getControllerOf(pod);
  const key = `${namespace}/${owner?.name ?? ""}`;
  switch (`${owner?.apiVersion} ${owner?.kind}`) {
    case "v1 ReplicationController":
      return selectorFromSet({ ...set, ...objects.replicationControllers.get(key)?.spec?.selector });
    case "apps/v1 ReplicaSet":
      return withRequirements(set, objects.replicaSets.get(key));
    case "apps/v1 StatefulSet":
      return withRequirements(set, objects.statefulSets.get(key));
    default:
      return selectorFromSet(set);
  }
}

function withRequirements(
  set: Readonly<Record<string, string>>,
  owner: { readonly spec?: { readonly selector?: Parameters<typeof selectorFromObject>[0] } } | undefined,
): Selector {
  const selector = selectorFromSet(set);
  return owner === undefined ? selector : selector.add(...selectorFromObject(owner.spec?.selector).requirements);
}

/** Whether the constraint counts the pods of a node. */
export function nodeCounter(
  { honoursAffinity, honoursTaints }: SpreadConstraint,
  { spec = { containers: [] } }: Pod,
  options: TolerationOptions,
): (node: NodeState) => boolean {
  const { nodeSelector, affinity, tolerations } = spec;
  const hasAffinity =
    nodeSelector !== undefined || affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined;
  const checksAffinity = honoursAffinity && hasAffinity;
  return ({ node }) => {
    if (node === undefined || (checksAffinity && !allowsNode(spec, node))) return false;
    return !honoursTaints || toleratesTaints(node.spec?.taints ?? [], tolerations, options);
  };
}

export function hasTopologyKeys(constraints: readonly SpreadConstraint[], { labels }: NodeState): boolean {
  return constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined);
}

/** The number of pods in the namespace that match, per node. An empty selector matches none. */
export function matchingPods(selector: Selector, namespace: string, state: ClusterState): Map<NodeState, number> {
  const counts = new Map<NodeState, number>();
  if (selector.isEmpty) return counts;
  for (const { labels, isTerminating, countByNode } of state.classesIn(namespace)) {
    if (isTerminating || !selector.matches(labels)) continue;
    for (const [node, count] of countByNode) counts.set(node, (counts.get(node) ?? 0) + count);
  }
  return counts;
}
