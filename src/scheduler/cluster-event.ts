// Changes in the cluster that can make a pod schedulable, and the plugins whose rejection each can undo.
// Upstream: the EventsToRegister functions of pkg/scheduler/framework/plugins

import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { claimKeysOf } from "#families/volumes/pod-claims.ts";
import { podRequests } from "#rules/pod-resources.ts";
import { knownAffinityTerms, mayMeanNamespace } from "./affinity-terms.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { PluginName } from "./rejection.ts";

export type ClusterEvent =
  | "node added"
  | "node deleted"
  | "node allocatable changed"
  | "node labels changed"
  | "node taints changed"
  | "bound pod added"
  | "bound pod labels changed"
  | "bound pod scaled down"
  | "bound pod deleted"
  | "claim added"
  | "claim changed"
  | "volume changed"
  | "storage class changed"
  | "CSI node changed"
  | "CSI driver changed"
  | "storage capacity changed"
  | "attachment deleted";

const UNDOES: Readonly<Record<ClusterEvent, readonly PluginName[]>> = {
  "node added": [
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
  ],
  "node deleted": ["PodTopologySpread"],
  "node allocatable changed": ["NodeResourcesFit"],
  "node labels changed": ["NodeAffinity", "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity"],
  "node taints changed": ["NodeUnschedulable", "TaintToleration", "PodTopologySpread"],
  "bound pod added": ["PodTopologySpread", "InterPodAffinity"],
  "bound pod labels changed": ["PodTopologySpread", "InterPodAffinity"],
  "bound pod scaled down": ["NodeResourcesFit"],
  "bound pod deleted": [
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "PodTopologySpread",
    "InterPodAffinity",
  ],
  "claim added": ["VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"],
  "claim changed": ["VolumeBinding", "VolumeZone"],
  "volume changed": ["VolumeBinding", "VolumeZone"],
  "storage class changed": ["VolumeBinding", "VolumeZone"],
  "CSI node changed": ["NodeVolumeLimits", "VolumeBinding"],
  "CSI driver changed": ["VolumeBinding"],
  "storage capacity changed": ["VolumeBinding"],
  "attachment deleted": ["NodeVolumeLimits"],
};

/** The object of an event, if it limits which pods the event helps. */
export interface EventSubject {
  readonly pod?: PodFacts;
  /** The key of a claim. */
  readonly claim?: string;
}

export interface WaitingPod {
  readonly facts: PodFacts;
  /** The plugins that rejected the pod. Empty: unknown, so every event may help. */
  readonly plugins: ReadonlySet<PluginName>;
}

export function mayHelp(event: ClusterEvent, { facts, plugins }: WaitingPod, subject: EventSubject = {}): boolean {
  if (plugins.size === 0) return true;
  if (subject.claim !== undefined && !claimKeysOf(facts.pod).includes(subject.claim)) return false;
  return UNDOES[event].some(
    (plugin) => plugins.has(plugin) && (subject.pod === undefined || concerns(plugin, facts, subject.pod)),
  );
}

/** Whether a bound pod that is added, changed or removed affects the plugin's rejection of the waiting pod. */
function concerns(plugin: PluginName, waiting: PodFacts, bound: PodFacts): boolean {
  const isSameNamespace = waiting.pod.metadata.namespace === bound.pod.metadata.namespace;
  switch (plugin) {
    case "NodePorts":
      return bound.hostPorts.length > 0;
    case "NodeVolumeLimits":
      return claimKeysOf(bound.pod).length > 0;
    case "VolumeRestrictions":
    case "PodTopologySpread":
      return isSameNamespace;
    case "InterPodAffinity":
      return requiresTogetherOrApart(waiting.pod, bound.pod) || requiresTogetherOrApart(bound.pod, waiting.pod);
    default:
      return true;
  }
}

/** A namespace selector is not evaluated: it may match. */
function requiresTogetherOrApart(pod: Stored<Pod>, other: Stored<Pod>): boolean {
  const { requiredAffinity, requiredAntiAffinity } = knownAffinityTerms(pod);
  return [...requiredAffinity, ...requiredAntiAffinity].some(
    (term) => term.selector.matches(other.metadata.labels) && mayMeanNamespace(term, other.metadata.namespace),
  );
}

/** Heartbeats cause no events. */
export function nodeEvents(before: Node, after: Node): readonly ClusterEvent[] {
  const events: ClusterEvent[] = [];
  if (differ(before.status?.allocatable, after.status?.allocatable)) events.push("node allocatable changed");
  if (differ(before.metadata?.labels, after.metadata?.labels)) events.push("node labels changed");
  const isTaintChanged = differ(before.spec?.taints, after.spec?.taints);
  if (isTaintChanged || before.spec?.unschedulable !== after.spec?.unschedulable) events.push("node taints changed");
  return events;
}

export function boundPodEvents(before: Pod, after: Pod): readonly ClusterEvent[] {
  const events: ClusterEvent[] = [];
  if (differ(before.metadata?.labels, after.metadata?.labels)) events.push("bound pod labels changed");
  // A terminating pod no longer counts for spreading.
  if (before.metadata?.deletionTimestamp !== after.metadata?.deletionTimestamp) events.push("bound pod labels changed");
  if (isScaledDown(before, after)) events.push("bound pod scaled down");
  return events;
}

function isScaledDown(before: Pod, after: Pod): boolean {
  const isResized = before.metadata?.generation !== after.metadata?.generation || hasStatusResources(after);
  if (!isResized) return false;
  const options = { useStatusResources: true, usePodLevelStatusResources: true };
  const requested = podRequests(after, options);
  return [...podRequests(before, options)].some(([name, amount]) => {
    const now = requested.get(name);
    return now === undefined || now.cmp(amount) < 0;
  });
}

/** The kubelet reports the actual resources of the containers, as during a resize. */
export function hasStatusResources({ status }: Pod): boolean {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return status?.resources !== undefined || statuses.some(({ resources }) => resources !== undefined);
}

function differ(a: unknown, b: unknown): boolean {
  return a !== b && JSON.stringify(a) !== JSON.stringify(b);
}
