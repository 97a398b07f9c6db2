// The other objects that the quota of resource claims needs: device classes, the pod behind a claim and the other
// claims of that pod.
// Upstream: pkg/quota/v1/evaluator/core/registry.go, NewEvaluators.

import type { Pods } from "#api/generated/resources/core-v1.ts";
import type { DeviceClasses, ResourceClaims } from "#api/generated/resources/resource-v1.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { ExtendedResources } from "#rules/quota/extended-resources.ts";
import { EXTENDED_CLAIM_ANNOTATION, type ResourceClaimSources } from "#rules/quota/resource-claims.ts";

export interface ClaimInformers {
  readonly pods: SharedInformer<ObjectOf<typeof Pods>>;
  readonly claims: SharedInformer<ObjectOf<typeof ResourceClaims>>;
  /** Absent: extended resources are not mapped to device classes. */
  readonly classes: SharedInformer<ObjectOf<typeof DeviceClasses>> | undefined;
}

const BY_POD = "extendedResourceClaimPodUIDOwner";

export function claimSources({ pods, claims, classes }: ClaimInformers): ResourceClaimSources {
  const extendedResources = new ExtendedResources();
  classes?.addHandler({
    onAdd: (added) => extendedResources.set(added),
    onUpdate: (old, updated) => extendedResources.set(updated, old),
    onDelete: (deleted) => extendedResources.delete(deleted),
  });
  claims.addIndexers({
    [BY_POD]: (claim) => {
      if (claim.metadata.annotations?.[EXTENDED_CLAIM_ANNOTATION] !== "true") return [];
      const owner = getControllerOf(claim);
      return owner?.kind === "Pod" && owner.apiVersion === "v1" ? [`${claim.metadata.namespace}/${owner.uid}`] : [];
    },
  });
  return {
    extendedResources,
    pod: (namespace, name) => pods.lister.get(`${namespace}/${name}`),
    extendedClaimsOf: (namespace, podUid) => claims.store.byIndex(BY_POD, `${namespace}/${podUid}`),
  };
}
