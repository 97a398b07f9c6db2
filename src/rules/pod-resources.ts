// The total resources of a pod: its containers, its pod-level resources if set, overhead, and during an in-place resize
// the larger of the current and the desired amounts.
// Upstream: component-helpers resource/helpers.go, PodRequests and PodLimits

import type { Container, ContainerStatus, Pod } from "#api/generated/types/core-v1.ts";
import { ZERO_QUANTITY } from "#api/quantity.ts";
import { aggregateContainers, type ContainerLike, isSidecar, type ResourcePart } from "#rules/container-resources.ts";
import {
  type Amounts,
  addTo,
  maxAmounts,
  type ReadonlyAmounts,
  readAmounts,
  type WireAmounts,
} from "#rules/resource-amounts.ts";

export interface PodResourcesOptions {
  /** Also use the kubelet's reported resources (InPlacePodVerticalScaling). */
  readonly useStatusResources?: boolean;
  /** The same for pod-level resources (InPlacePodLevelResourcesVerticalScaling). */
  readonly usePodLevelStatusResources?: boolean;
  readonly excludeOverhead?: boolean;
  readonly skipPodLevelResources?: boolean;
  readonly skipContainerLevelResources?: boolean;
  /** Defaults for requests that a container does not set. */
  readonly missingContainerRequests?: ReadonlyAmounts;
  /** Add the node resources of resource claims (status.nodeAllocatableResourceClaimStatuses). */
  readonly useNodeAllocatableClaims?: boolean;
}

const isPodLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || name.startsWith("hugepages-");

const namesPodLevel = (amounts: WireAmounts | undefined): boolean =>
  Object.keys(amounts ?? {}).some(isPodLevelResource);

export function isPodLevelRequestsSet(pod: Pod): boolean {
  return namesPodLevel(pod.spec?.resources?.requests);
}

export function isPodLevelResourcesSet(pod: Pod): boolean {
  return isPodLevelRequestsSet(pod) || namesPodLevel(pod.spec?.resources?.limits);
}

export function podRequests(pod: Pod, options: PodResourcesOptions = {}): Amounts {
  const requests = options.skipContainerLevelResources ? new Map() : containerRequests(pod, options);
  if (!options.skipPodLevelResources && isPodLevelRequestsSet(pod)) setPodLevel(requests, pod, "requests", options);
  if (!options.excludeOverhead) addTo(requests, readAmounts(pod.spec?.overhead));
  return requests;
}

/** Overhead is added only to positive limits. */
export function podLimits(pod: Pod, options: PodResourcesOptions = {}): Amounts {
  const limits = aggregateContainers(pod.spec ?? {}, "limits", effectiveAmounts(pod, "limits", options));
  if (!options.skipPodLevelResources && isPodLevelResourcesSet(pod)) setPodLevel(limits, pod, "limits", options);
  if (options.excludeOverhead) return limits;
  for (const [name, overhead] of readAmounts(pod.spec?.overhead)) {
    const limit = limits.get(name);
    if (limit !== undefined && !limit.isZero) limits.set(name, limit.add(overhead));
  }
  return limits;
}

function containerRequests(pod: Pod, options: PodResourcesOptions): Amounts {
  const requests = aggregateContainers(pod.spec ?? {}, "requests", effectiveAmounts(pod, "requests", options));
  if (options.useNodeAllocatableClaims) {
    for (const claim of pod.status?.nodeAllocatableResourceClaimStatuses ?? []) {
      addTo(requests, readAmounts(claim.resources));
    }
  }
  return requests;
}

/** Pod-level resources replace the sum of the containers. */
function setPodLevel(amounts: Amounts, pod: Pod, part: ResourcePart, options: PodResourcesOptions): void {
  const spec = readAmounts(pod.spec?.resources?.[part]);
  const effective = podLevelWhileResizing(pod, part, spec, options);
  for (const [name, amount] of spec) {
    if (isPodLevelResource(name)) amounts.set(name, effective ? (effective.get(name) ?? ZERO_QUANTITY) : amount);
  }
}

function podLevelWhileResizing(
  pod: Pod,
  part: ResourcePart,
  spec: Amounts,
  options: PodResourcesOptions,
): Amounts | undefined {
  const reported = pod.status?.resources;
  if (!options.usePodLevelStatusResources || !options.useStatusResources || reported === undefined) return undefined;
  // Upstream treats missing reported limits as "not reported" here, and falls back to the spec.
  if (part === "limits" && reported.limits === undefined && isPodResizeInfeasible(pod)) return undefined;
  const allocated = part === "requests" ? pod.status?.allocatedResources : undefined;
  return whileResizing(pod, spec, readAmounts(reported[part]), readAmounts(allocated));
}

type AmountsOf = (container: ContainerLike, isInit: boolean) => Amounts;

function effectiveAmounts(pod: Pod, part: ResourcePart, options: PodResourcesOptions): AmountsOf {
  const statuses = options.useStatusResources ? statusesByName(pod) : undefined;
  const missing = part === "requests" ? options.missingContainerRequests : undefined;
  return (container, isInit) => {
    let amounts = readAmounts(container.resources?.[part]);
    const status = isInit && !isSidecar(container) ? undefined : statuses?.get(container.name ?? "");
    if (status?.resources !== undefined) {
      const allocated = part === "requests" ? status.allocatedResources : undefined;
      amounts = whileResizing(pod, amounts, readAmounts(status.resources[part]), readAmounts(allocated));
    }
    for (const [name, amount] of missing ?? []) if (!amounts.has(name)) amounts.set(name, amount);
    return amounts;
  };
}

function statusesByName(pod: Pod): Map<string, ContainerStatus> {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  return new Map([...containerStatuses, ...initContainerStatuses].map((status) => [status.name, status]));
}

/** The desired amounts count until the kubelet reports that they are infeasible. */
function whileResizing(pod: Pod, spec: Amounts, actuated: Amounts, allocated: Amounts): Amounts {
  return isPodResizeInfeasible(pod) ? maxAmounts(actuated, allocated) : maxAmounts(spec, actuated, allocated);
}

function pendingResizeReason(pod: Pod): string | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === "PodResizePending")?.reason;
}

export const isPodResizeInfeasible = (pod: Pod): boolean => pendingResizeReason(pod) === "Infeasible";
export const isPodResizeDeferred = (pod: Pod): boolean => pendingResizeReason(pod) === "Deferred";

/** All containers except ephemeral ones, which have no resources. */
export function allContainers(pod: Pod): readonly Container[] {
  return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
}
