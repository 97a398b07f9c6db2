// The total resources of a pod's containers: the sum of regular containers and sidecars, or the maximum of one init
// container with the sidecars started before it.
// Upstream: component-helpers resource/helpers.go, AggregateContainerRequests, AggregateContainerLimits

import { type Amounts, addTo, raiseTo, readAmounts, type WireAmounts } from "#rules/resource-amounts.ts";

export type ResourcePart = "requests" | "limits";

export interface ContainerLike {
  readonly name?: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: WireAmounts; readonly limits?: WireAmounts };
}

export interface ContainersLike {
  readonly containers?: readonly ContainerLike[];
  readonly initContainers?: readonly ContainerLike[];
}

/** An init container that keeps running beside the others. */
export const isSidecar = (container: ContainerLike): boolean => container.restartPolicy === "Always";

/** Amounts come from the spec, unless the caller passes others. They are new maps that may be changed. */
export function aggregateContainers(
  spec: ContainersLike,
  part: ResourcePart,
  amountsOf: (container: ContainerLike, isInit: boolean) => Amounts = (container) =>
    readAmounts(container.resources?.[part]),
): Amounts {
  const total: Amounts = new Map();
  for (const container of spec.containers ?? []) addTo(total, amountsOf(container, false));
  const sidecars: Amounts = new Map();
  const initPeak: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container, true);
    if (isSidecar(container)) {
      addTo(total, own);
      addTo(sidecars, own);
      raiseTo(initPeak, sidecars);
    } else {
      addTo(own, sidecars);
      raiseTo(initPeak, own);
    }
  }
  raiseTo(total, initPeak);
  return total;
}
