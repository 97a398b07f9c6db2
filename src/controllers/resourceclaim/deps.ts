// The dependencies of the syncs and triggers of the resourceclaim controller.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ResourceClaim, ResourceClaimTemplate } from "#api/generated/types/resource-v1.ts";
import type { PodGroup } from "#api/generated/types/scheduling-v1alpha2.ts";
import type { Stored } from "#api/resource.ts";
import type { Counter } from "#base/metrics.ts";
import type { ResourceClient } from "#client/client.ts";
import { podGroupNameOf } from "#families/devices/claims-of-users.ts";
import type { UidCache } from "#families/devices/uid-cache.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { CreatedClaims } from "./created-claims.ts";

export type Claim = Stored<ResourceClaim>;
export type Template = Stored<ResourceClaimTemplate>;
export type Group = Stored<PodGroup>;

export interface Deps {
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly claims: SharedInformer<Claim>;
  readonly templates: SharedInformer<Template>;
  /** Undefined if pod groups have no claims: the gate DRAWorkloadResourceClaims. */
  readonly groups: SharedInformer<Group> | undefined;
  readonly podsApi: ResourceClient<Stored<Pod>>;
  readonly claimsApi: ResourceClient<Claim>;
  readonly groupsApi: ResourceClient<Group>;
  readonly created: CreatedClaims;
  /** Pods and pod groups that are known to be gone. */
  readonly deleted: UidCache;
  readonly recorder: EventRecorder;
  readonly creates: Counter;
  readonly allows: { readonly adminAccess: boolean; readonly prioritizedList: boolean };
}

/** The pod's group, if pod groups may have claims. Throws when the cache does not have it. */
export function groupOf(pod: Stored<Pod>, { groups }: Pick<Deps, "groups">): Group | undefined {
  const name = podGroupNameOf(pod);
  return name === undefined ? undefined : groups?.lister.require(`${pod.metadata.namespace}/${name}`);
}
