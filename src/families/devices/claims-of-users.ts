// Which ResourceClaims a pod or a pod group uses, and whether a claim is for a pod or its group.
// Upstream: k8s.io/dynamic-resource-allocation/resourceclaim.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ResourceClaim, ResourceClaimConsumerReference } from "#api/generated/types/resource-v1.ts";
import type { PodGroup } from "#api/generated/types/scheduling-v1alpha2.ts";
import { getControllerOf, isControlledBy } from "#api/owner-refs.ts";
import type { Stored } from "#api/resource.ts";

export const SCHEDULING_GROUP = "scheduling.k8s.io";

/** An entry of spec.resourceClaims of a pod or a pod group: a claim, or a template to create one from. */
export interface ClaimEntry {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

/** A pod or a pod group. Both list claims in the spec, and record in the status which claims were created for them. */
export type ClaimUser = Stored<Pod> | Stored<PodGroup>;

/** The claim of an entry. A claim created from a template counts only when the user owns it. */
export type ClaimOfEntry =
  | { readonly kind: "named"; readonly name: string; readonly isGenerated: boolean }
  /** The status says that no claim is needed. */
  | { readonly kind: "notNeeded" }
  | { readonly kind: "notCreated" }
  /** Neither a claim nor a template: a field of a later version. */
  | { readonly kind: "unsupported" };

export const UNSUPPORTED = "none of the supported fields are set";

export function claimOfEntry(user: ClaimUser, entry: ClaimEntry): ClaimOfEntry {
  const { resourceClaimName, resourceClaimTemplateName } = entry;
  if (resourceClaimName !== undefined) return { kind: "named", name: resourceClaimName, isGenerated: false };
  if (resourceClaimTemplateName === undefined) return { kind: "unsupported" };
  const status = user.status?.resourceClaimStatuses?.find(({ name }) => name === entry.name);
  if (status === undefined) return { kind: "notCreated" };
  const name = status.resourceClaimName;
  return name === undefined ? { kind: "notNeeded" } : { kind: "named", name, isGenerated: true };
}

export function podGroupNameOf(pod: Pod): string | undefined {
  return pod.spec?.schedulingGroup?.podGroupName;
}

/**
 * Whether the claim was created for the pod or, if pod groups may have claims, for its group, which a pod refers to by
 * name.
 */
export function isForPod(pod: Stored<Pod>, claim: Stored<ResourceClaim>, groupsHaveClaims: boolean): boolean {
  if (claim.metadata.namespace !== pod.metadata.namespace) return false;
  if (isControlledBy(claim, pod)) return true;
  if (!groupsHaveClaims) return false;
  // Deviation: upstream crashes while it formats the message about a pod without a group.
  const owner = getControllerOf(claim);
  return (
    owner !== undefined && isPodGroup(owner) && podGroupNameOf(pod) !== undefined && owner.name === podGroupNameOf(pod)
  );
}

/** Any version of the reference matches. */
export function isPodGroup({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return kind === "PodGroup" && apiVersion.startsWith(`${SCHEDULING_GROUP}/`);
}

/** Whether the claim is reserved for the pod or, if pod groups may have claims, for its group. */
export function isReservedForPod(pod: Stored<Pod>, claim: ResourceClaim, groupsHaveClaims: boolean): boolean {
  const group = groupsHaveClaims ? podGroupNameOf(pod) : undefined;
  return (claim.status?.reservedFor ?? []).some(
    (consumer) =>
      consumer.uid === pod.metadata.uid ||
      (group !== undefined && isPodGroupReference(consumer) && consumer.name === group),
  );
}

export function isPodGroupReference({ apiGroup, resource }: ResourceClaimConsumerReference): boolean {
  return apiGroup === SCHEDULING_GROUP && resource === "podgroups";
}
