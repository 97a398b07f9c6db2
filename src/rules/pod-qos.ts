// A pod's quality of service, from its requests and limits of cpu and memory.
// Upstream: pkg/apis/core/v1/helper/qos/qos.go

import type { Pod } from "#api/generated/types/core-v1.ts";
import { allContainers } from "#rules/pod-resources.ts";
import { type Amounts, addTo, readAmounts, type WireAmounts } from "#rules/resource-amounts.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

/** What the status says, or what the spec comes to. */
export function podQos(pod: Pod, options?: QosOptions): QosClass {
  return (pod.status?.qosClass as QosClass | undefined) || computePodQos(pod, options);
}

export interface QosOptions {
  /** The gate PodLevelResources; on unless said otherwise. */
  readonly podLevelResources?: boolean;
}

export function computePodQos(pod: Pod, options: QosOptions = {}): QosClass {
  const requests: Amounts = new Map();
  const limits: Amounts = new Map();
  let isGuaranteed = true;
  const own = options.podLevelResources === false ? undefined : pod.spec?.resources;
  if (own !== undefined) {
    addTo(requests, positive(own.requests));
    addTo(limits, positive(own.limits));
    isGuaranteed = Object.keys(own.limits ?? {}).length === 0 || limits.size === 2;
  } else {
    for (const { resources } of allContainers(pod)) {
      addTo(requests, positive(resources?.requests));
      const limited = positive(resources?.limits);
      addTo(limits, limited);
      isGuaranteed &&= limited.size === 2;
    }
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const areEqual = [...requests].every(([name, amount]) => limits.get(name)?.equals(amount));
  return isGuaranteed && areEqual && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

/** Amounts of cpu and memory above zero. */
function positive(wire: WireAmounts | undefined): Amounts {
  const amounts = readAmounts(wire);
  for (const [name, amount] of amounts) {
    if ((name !== "cpu" && name !== "memory") || amount.sign !== 1) amounts.delete(name);
  }
  return amounts;
}
