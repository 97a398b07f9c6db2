// Quota of pods: their number, and the requests and limits of running ones.
// Upstream: pkg/quota/v1/evaluator/core/pods.go

import type { Pod } from "#api/generated/types/core-v1.ts";
import { wrappedSecondsMs } from "#api/int64.ts";
import { isQualifiedName } from "#api/names.ts";
import { quantityOf } from "#api/quantity.ts";
import { parseTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { isPodLevelResourcesSet, podLimits, podRequests } from "#rules/pod-resources.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import type { QuotaContext, QuotaEvaluator } from "#rules/quota/evaluator.ts";
import { hasDeadline, podMatchesScope } from "#rules/quota/scopes.ts";
import { addUsage } from "#rules/quota/usage.ts";
import { type Amounts, type ReadonlyAmounts, readAmounts } from "#rules/resource-amounts.ts";

const REQUESTS = "requests.";
const DEVICE_CLASS_PREFIX = "deviceclass.resource.kubernetes.io/";

const COMPUTE = ["cpu", "memory", "ephemeral-storage"];
const POD_RESOURCES: ReadonlySet<string> = new Set([
  "count/pods",
  "pods",
  ...COMPUTE,
  ...COMPUTE.map((name) => `requests.${name}`),
  ...COMPUTE.map((name) => `limits.${name}`),
]);

// Quotas of these resources require that each container sets them. Upstream keeps this for compatibility.
const REQUIRED = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");

/** A resource beyond the native ones, or an implicit name of a device class. */
export function isDraExtendedResource(name: string): boolean {
  if (name.startsWith(DEVICE_CLASS_PREFIX)) return true;
  return !isNative(name) && !name.startsWith(REQUESTS) && isQualifiedName(REQUESTS + name).length === 0;
}

/** "requests.example.com/gpu": the only form of extended resources in quotas. */
export function isExtendedResourceInQuota(name: string): boolean {
  return (!isNative(name) || name.startsWith(REQUESTS + DEVICE_CLASS_PREFIX)) && name.startsWith(REQUESTS);
}

export const podQuota: QuotaEvaluator = {
  resource: { group: "", resource: "pods" },

  matchingResources: (names) => {
    const known = [...new Set(names)].filter((name) => POD_RESOURCES.has(name)).sort();
    const prefixed = names.filter((name) => /^(requests\.)?hugepages-/.test(name) || isExtendedResourceInQuota(name));
    return [...known, ...prefixed];
  },

  handles: ({ operation, subresource, object, oldObject }) => {
    if (subresource === "resize") return operation === "UPDATE";
    if (subresource !== "") return false;
    if (operation === "UPDATE" && object !== undefined && oldObject !== undefined) {
      return hasDeadline(object as Pod) !== hasDeadline(oldObject as Pod);
    }
    return operation === "CREATE";
  },

  matchesScope: (scope, object, { gates }) => podMatchesScope(scope, object as Pod, gates),

  missing: (required, object, { gates }) => {
    const pod = object as Pod;
    if (gates.isEnabled("PodLevelResources") && isPodLevelResourcesSet(pod)) return undefined;
    const lacking = REQUIRED.filter((name) => required.includes(name)).flatMap((name) => {
      const containers = containersLacking(pod, name);
      return containers.length > 0 ? [`${name} for: ${containers.join(",")}`] : [];
    });
    return lacking.length > 0 ? `must specify ${lacking.join("; ")}` : undefined;
  },

  usage: (object, ctx) => podUsage(object as Pod, ctx),
};

function containersLacking(pod: Pod, name: string): string[] {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const lacking = [...containers, ...initContainers].filter(({ resources }) => {
    const charged = charge(readAmounts(resources?.requests), readAmounts(resources?.limits));
    return !charged.has(name);
  });
  return [...new Set(lacking.map((container) => container.name))].sort();
}

/** A pod is counted while it is stored, and charged while it may run. */
export function podUsage(pod: Pod, { now, gates }: QuotaContext): Amounts {
  const count: Amounts = new Map([["count/pods", quantityOf(1)]]);
  if (!isChargeable(pod, now)) return count;
  const options = { useStatusResources: true, skipPodLevelResources: !gates.isEnabled("PodLevelResources") };
  return addUsage(count, charge(podRequests(pod, options), podLimits(pod, options)));
}

/** Neither finished nor stuck: a pod whose grace period has passed no longer blocks its replacement. */
export function isChargeable(pod: Pod, now: EpochMs): boolean {
  if (isPodTerminal(pod)) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata ?? {};
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= parseTime(deletionTimestamp) + wrappedSecondsMs(deletionGracePeriodSeconds);
}

function charge(requests: ReadonlyAmounts, limits: ReadonlyAmounts): Amounts {
  const usage: Amounts = new Map([["pods", quantityOf(1)]]);
  for (const [name, amount] of requests) {
    const isPlain = COMPUTE.includes(name) || name.startsWith("hugepages-");
    if (isPlain) usage.set(name, amount);
    if (isPlain || isDraExtendedResource(name)) usage.set(REQUESTS + name, amount);
  }
  for (const name of COMPUTE) {
    const limit = limits.get(name);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  return usage;
}
