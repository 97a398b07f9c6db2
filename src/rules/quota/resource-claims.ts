// Quota of resource claims: their number and, in the worst case, their devices by class.
// Upstream: pkg/quota/v1/evaluator/core/resource_claims.go

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ResourceClaim } from "#api/generated/types/resource-v1.ts";
import type { Int64 } from "#api/int64.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import { quantityOf, ZERO_QUANTITY } from "#api/quantity.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { QuotaContext, QuotaEvaluator } from "#rules/quota/evaluator.ts";
import type { ExtendedResources } from "#rules/quota/extended-resources.ts";
import { isExtendedResourceInQuota, podUsage } from "#rules/quota/pods.ts";
import type { Amounts, ReadonlyAmounts } from "#rules/resource-amounts.ts";

const COUNT = "count/resourceclaims.resource.k8s.io";
const PER_CLASS = ".deviceclass.resource.k8s.io/devices";
const IMPLICIT = "requests.deviceclass.resource.kubernetes.io/";
const REQUESTS = "requests.";
const DEVICES_MAX = 32;

/** Marks a claim that the scheduler created for a pod's extended resources. */
export const EXTENDED_CLAIM_ANNOTATION = "resource.kubernetes.io/extended-resource-claim";

export interface ResourceClaimSources {
  readonly extendedResources: ExtendedResources;
  pod(namespace: string, name: string): Pod | undefined;
  /** Marked claims whose controller is the pod with this UID. */
  extendedClaimsOf(namespace: string, podUid: string): readonly ResourceClaim[];
}

export function resourceClaimQuota(sources: ResourceClaimSources): QuotaEvaluator {
  const { extendedResources } = sources;
  return {
    resource: { group: "resource.k8s.io", resource: "resourceclaims" },
    matchingResources: (names, { gates }) =>
      names.filter((name) => {
        if (name === COUNT || name.endsWith(PER_CLASS)) return true;
        if (!gates.isEnabled("DRAExtendedResource")) return false;
        if (name.startsWith(IMPLICIT) && extendedResources.extendedResourceOf(name.slice(IMPLICIT.length))) return true;
        const resource = isExtendedResourceInQuota(name) ? name.slice(REQUESTS.length) : undefined;
        return resource !== undefined && extendedResources.deviceClassOf(resource) !== undefined;
      }),
    handles: ({ operation, subresource }) => subresource === "" && (operation === "CREATE" || operation === "UPDATE"),
    usage: (object, ctx) => {
      const claim = object as ResourceClaim;
      const usage = deviceUsage(claim);
      if (ctx.gates.isEnabled("DRAExtendedResource")) {
        addExtended(usage, extendedResources, usageOfOwner(claim, sources, ctx));
      }
      return usage;
    },
  };
}

interface DeviceRequest {
  readonly deviceClassName: string;
  readonly allocationMode?: string;
  readonly count?: Int64;
}

function deviceCount({ allocationMode, count = 0 }: DeviceRequest): Int64 {
  if (allocationMode === "All") return DEVICES_MAX;
  return allocationMode === "ExactCount" ? count : 0;
}

function deviceUsage(claim: ResourceClaim): Amounts {
  const usage: Amounts = new Map([[COUNT, quantityOf(1)]]);
  const add = (className: string, devices: Int64): void => {
    const name = className + PER_CLASS;
    usage.set(name, (usage.get(name) ?? ZERO_QUANTITY).add(quantityOf(devices)));
  };
  for (const { firstAvailable = [], exactly } of claim.spec?.devices?.requests ?? []) {
    if (firstAvailable.length > 0) {
      // Any alternative may be allocated, so each class counts with its maximum.
      const worst = new Map<string, Int64>();
      for (const request of firstAvailable) {
        const devices = deviceCount(request);
        if (devices > (worst.get(request.deviceClassName) ?? 0)) worst.set(request.deviceClassName, devices);
      }
      for (const [className, devices] of worst) add(className, devices);
    } else if (exactly !== undefined) add(exactly.deviceClassName, deviceCount(exactly));
  }
  return usage;
}

/** The same devices under the names of extended resources, minus the charge of their pod. */
function addExtended(usage: Amounts, extended: ExtendedResources, charged: ReadonlyAmounts | undefined): void {
  for (const [name, devices] of [...usage]) {
    const className = name.endsWith(PER_CLASS) ? name.slice(0, -PER_CLASS.length) : "";
    if (className === "") continue;
    const resource = extended.extendedResourceOf(className);
    for (const alias of [IMPLICIT + className, ...(resource ? [REQUESTS + resource] : [])]) {
      const counted = charged?.get(alias);
      const left = counted === undefined ? devices : devices.sub(counted);
      if (left.sign > 0) usage.set(alias, left);
    }
  }
}

/** The charge of the pod behind a marked claim, if that pod is known and this is its claim. */
function usageOfOwner(
  claim: ResourceClaim,
  sources: ResourceClaimSources,
  ctx: QuotaContext,
): ReadonlyAmounts | undefined {
  if (claim.metadata?.annotations?.[EXTENDED_CLAIM_ANNOTATION] !== "true") return undefined;
  const owner = getControllerOf(claim);
  if (owner?.kind !== "Pod" || owner.apiVersion !== "v1") return undefined;
  const namespace = claim.metadata.namespace ?? "";
  const pod = sources.pod(namespace, owner.name);
  if (pod === undefined || pod.metadata?.uid !== owner.uid) return undefined;
  const status = pod.status?.extendedResourceClaimStatus;
  if (status !== undefined) return status.resourceClaimName === claim.metadata.name ? podUsage(pod, ctx) : undefined;
  const rivals = sources.extendedClaimsOf(namespace, owner.uid);
  return rivals.some((rival) => isEarlier(rival, claim)) ? undefined : podUsage(pod, ctx);
}

function isEarlier(a: ResourceClaim, b: ResourceClaim): boolean {
  const [first, second] = [a, b].map(({ metadata }) => timeOrUndefined(metadata?.creationTimestamp) ?? 0);
  if (first !== second) return (first ?? 0) < (second ?? 0);
  return (a.metadata?.name ?? "") < (b.metadata?.name ?? "");
}
