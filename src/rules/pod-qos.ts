// A pod's quality of service, from its requests and limits of cpu and memory.
// Upstream: pkg/apis/core/v1/helper/qos/qos.go

import type { Pod } from "#api/generated/types/core-v1.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import { allContainers } from "#rules/pod-resources.ts";
import type { Amounts, WireAmounts } from "#rules/resource-amounts.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

/** The class in the status, or computed from the spec. */
export function podQos(pod: Pod, options?: QosOptions): QosClass {
  return (pod.status?.qosClass as QosClass | undefined) || computePodQos(pod, options);
}

export interface QosOptions {
  /** The gate PodLevelResources; on unless given. */
  readonly podLevelResources?: boolean;
}

export function computePodQos(pod: Pod, options: QosOptions = {}): QosClass {
  const requests: Amounts = new Map();
  const limits: Amounts = new Map();
  let isGuaranteed = true;
  const own = options.podLevelResources === false ? undefined : pod.spec?.resources;
  if (own !== undefined) {
    addPositive(requests, own.requests);
    addPositive(limits, own.limits);
    isGuaranteed = Object.keys(own.limits ?? {}).length === 0 || limits.size === 2;
  } else {
    for (const { resources } of allContainers(pod)) {
      addPositive(requests, resources?.requests);
      isGuaranteed = addPositive(limits, resources?.limits) === 2 && isGuaranteed;
    }
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const areEqual = [...requests].every(([name, amount]) => limits.get(name)?.equals(amount));
  return isGuaranteed && areEqual && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

/** Adds the positive amounts of cpu and memory, and returns their number. */
function addPositive(into: Amounts, wire: WireAmounts | undefined): number {
  let count = 0;
  for (const name in wire) {
    if (name !== "cpu" && name !== "memory") continue;
    const amount = quantityFromWire(wire[name]);
    if (amount.sign !== 1) continue;
    into.set(name, into.get(name)?.add(amount) ?? amount);
    count++;
  }
  return count;
}
