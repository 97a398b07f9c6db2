// Indexes to look up pods, groups and claims by each other.
// Upstream: pkg/controller/resourceclaim/controller.go, the index functions.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import { type ClaimUser, claimOfEntry, podGroupNameOf } from "#families/devices/claims-of-users.ts";
import type { Claim } from "./deps.ts";
import { owningPod, podGroupOwnerUids } from "./generated-claim.ts";

export const BY_CLAIM = "resourceClaim";
export const BY_TEMPLATE = "resourceClaimTemplate";
export const BY_GROUP = "podGroupMembers";
export const BY_POD_OWNER = "claimPodOwner";
export const BY_GROUP_OWNER = "claimPodGroupOwner";

/** The claims of the user, as far as its spec and status name them. */
export function claimKeysOf(user: ClaimUser): readonly ObjectKey[] {
  return keys(user, (entry) => {
    const named = claimOfEntry(user, entry);
    return named.kind === "named" ? named.name : undefined;
  });
}

export function templateKeysOf(user: ClaimUser): readonly ObjectKey[] {
  return keys(user, (entry) => entry.resourceClaimTemplateName);
}

function keys(
  { metadata, spec }: ClaimUser,
  nameOf: (entry: Parameters<typeof claimOfEntry>[1]) => string | undefined,
): readonly ObjectKey[] {
  const names = (spec?.resourceClaims ?? []).map(nameOf).filter((name) => name !== undefined);
  return [...new Set(names)].map((name): ObjectKey => `${metadata.namespace}/${name}`);
}

export function groupKeysOf(pod: Stored<Pod>): readonly ObjectKey[] {
  const name = podGroupNameOf(pod);
  return name === undefined ? [] : [`${pod.metadata.namespace}/${name}`];
}

/** By the UID of the pod that the claim was created for. */
export function claimKeysByPodOwner(claim: Claim): readonly string[] {
  const owner = owningPod(claim);
  return owner === undefined ? [] : [owner.uid];
}

/** By namespace and UID of the group that the claim was created for. */
export const claimKeysByGroupOwner: (claim: Claim) => readonly string[] = podGroupOwnerUids;
