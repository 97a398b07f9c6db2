// The consumer for which a pod's claim is reserved: the pod, or its group when the group has the same entry.
// Upstream: k8s.io/dynamic-resource-allocation/resourceclaim, BindTo.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ResourceClaimConsumerReference } from "#api/generated/types/resource-v1.ts";
import type { PodGroup } from "#api/generated/types/scheduling-v1alpha2.ts";
import type { Stored } from "#api/resource.ts";
import { type ClaimEntry, SCHEDULING_GROUP, UNSUPPORTED } from "#families/devices/claims-of-users.ts";

/** Throws when an entry has none of the known fields. */
export function consumerOf(
  pod: Stored<Pod>,
  group: Stored<PodGroup> | undefined,
  entry: ClaimEntry,
): ResourceClaimConsumerReference {
  const { namespace, name, uid } = pod.metadata;
  if (!isSupported(entry)) throw new Error(`Pod ${namespace}/${name} claim ${entry.name}: ${UNSUPPORTED}`);
  if (group === undefined || !isShared(group, entry)) return { resource: "pods", name, uid };
  return { apiGroup: SCHEDULING_GROUP, resource: "podgroups", name: group.metadata.name, uid: group.metadata.uid };
}

/** Checks the group's entries up to the first equal one. */
function isShared({ metadata, spec }: Stored<PodGroup>, entry: ClaimEntry): boolean {
  for (const shared of spec.resourceClaims ?? []) {
    if (!isSupported(shared)) {
      throw new Error(`PodGroup ${metadata.namespace}/${metadata.name} claim ${shared.name}: ${UNSUPPORTED}`);
    }
    if (
      shared.name === entry.name &&
      shared.resourceClaimName === entry.resourceClaimName &&
      shared.resourceClaimTemplateName === entry.resourceClaimTemplateName
    ) {
      return true;
    }
  }
  return false;
}

function isSupported({ resourceClaimName, resourceClaimTemplateName }: ClaimEntry): boolean {
  return resourceClaimName !== undefined || resourceClaimTemplateName !== undefined;
}
