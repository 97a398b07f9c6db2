// Resources in the scheduler's units: numbers by name, CPU in thousandths.
// Upstream: pkg/scheduler/framework/types.go, Resource, PodInfo.CalculateResource; pkg/scheduler/util,
// IsScalarResourceName

import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import { isQualifiedName } from "#api/names.ts";
import { milliQuantity, type Quantity, quantityOf } from "#api/quantity.ts";
import { isPodLevelRequestsSet, type PodResourcesOptions, podRequests } from "#rules/pod-resources.ts";
import { type ReadonlyAmounts, readAmounts } from "#rules/resource-amounts.ts";

export interface ResourceTotals {
  readonly milliCpu: number;
  readonly memory: number;
  readonly ephemeralStorage: number;
  /** Extended resources, huge pages and attachable volumes. */
  readonly scalars: ReadonlyMap<string, number>;
}

export interface NodeResources extends ResourceTotals {
  /** The maximum number of pods on the node. */
  readonly pods: number;
}

/** CPU and memory for scores. */
export interface WeighedResources {
  readonly milliCpu: number;
  readonly memory: number;
}

export interface PodResources extends ResourceTotals {
  /** With defaults for containers without requests, so that pods without requests are spread over nodes. */
  readonly nonZero: WeighedResources;
  /** The same without pod-level resources: upstream's LeastAllocated ignores those of the incoming pod. */
  readonly nonZeroOfContainers: WeighedResources;
}

const DEFAULT_CPU: Quantity = milliQuantity(100);
const DEFAULT_MEMORY: Quantity = quantityOf(200 * 1024 * 1024);
const DEFAULTS: ReadonlyAmounts = new Map([
  ["cpu", DEFAULT_CPU],
  ["memory", DEFAULT_MEMORY],
]);
const WITH_STATUS: PodResourcesOptions = { useStatusResources: true, usePodLevelStatusResources: true };

export function nodeResources(node: Node): NodeResources {
  const allocatable = readAmounts(node.status?.allocatable);
  return { ...totals(allocatable), pods: allocatable.get("pods")?.value() ?? 0 };
}

export function podResources(pod: Pod): PodResources {
  const requests = podRequests(pod, WITH_STATUS);
  const isPodLevel = isPodLevelRequestsSet(pod);
  const missing = isPodLevel ? new Map([...DEFAULTS].filter(([name]) => !requests.has(name))) : DEFAULTS;
  const nonZero = weighed(podRequests(pod, { ...WITH_STATUS, missingContainerRequests: missing }));
  const ofContainers: PodResourcesOptions = { missingContainerRequests: DEFAULTS, skipPodLevelResources: true };
  const nonZeroOfContainers = isPodLevel ? weighed(podRequests(pod, ofContainers)) : nonZero;
  return { ...totals(requests), nonZero, nonZeroOfContainers };
}

function totals(amounts: ReadonlyAmounts): ResourceTotals {
  const scalars = new Map<string, number>();
  for (const [name, amount] of amounts) if (isScalar(name)) scalars.set(name, amount.value());
  return { ...weighed(amounts), ephemeralStorage: amounts.get("ephemeral-storage")?.value() ?? 0, scalars };
}

function weighed(amounts: ReadonlyAmounts): WeighedResources {
  return { milliCpu: amounts.get("cpu")?.milliValue() ?? 0, memory: amounts.get("memory")?.value() ?? 0 };
}

function isScalar(name: string): boolean {
  if (name.startsWith("hugepages-") || name.startsWith("attachable-volumes-")) return true;
  if (!name.includes("/")) return false;
  if (name.includes("kubernetes.io/")) return true;
  return !name.startsWith("requests.") && isQualifiedName(`requests.${name}`).length === 0;
}
