/**
 * Creates ResourceClaims from templates for pods and pod groups, and frees unused claims.
 *
 * Keeps true:  each template entry of a pod that is not deleted has a claim that the pod controls, and the pod's status
 *              names it. Allocated claims of a pod on a node are reserved for it. Reservations for pods that are gone
 *              or have ended are removed; with its last reservation a claim loses its allocation and its finalizer. A
 *              generated claim is deleted when its pod has ended. Behind the gate DRAWorkloadResourceClaims the same
 *              holds for groups, and pods use the claims of the entries that they share with their group.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/resourceclaim.
 * Deviations:  no claim is reserved for a pod that has ended; upstream reserves and releases a shared claim for ever.
 *              Upstream crashes on a claim of another owner if pod groups may have claims and the pod has no group;
 *              this controller does not.
 */

import { Pods } from "#api/generated/resources/core-v1.ts";
import { ResourceClaims, ResourceClaimTemplates } from "#api/generated/resources/resource-v1.ts";
import { PodGroups } from "#api/generated/resources/scheduling-v1alpha2.ts";
import type { ObjectKey } from "#api/object.ts";
import { UidCache } from "#families/devices/uid-cache.ts";
import { create, events, get, patch, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import type { SyncResult } from "#kit/worker-loop.ts";
import { CreatedClaims } from "./created-claims.ts";
import type { Deps } from "./deps.ts";
import {
  BY_CLAIM,
  BY_GROUP,
  BY_GROUP_OWNER,
  BY_POD_OWNER,
  BY_TEMPLATE,
  claimKeysByGroupOwner,
  claimKeysByPodOwner,
  claimKeysOf,
  groupKeysOf,
  templateKeysOf,
} from "./indexes.ts";
import { claimMetrics } from "./metrics.ts";
import { syncClaim } from "./sync-claim.ts";
import { syncPod, syncPodGroup } from "./sync-users.ts";
import { Triggers, type WorkKey } from "./triggers.ts";

export interface ResourceClaimOptions {
  /** --concurrent-resourceclaim-syncs */
  readonly workers: number;
}

type UserKind = "pod" | "podgroup" | "claim";

const syncs: Readonly<Record<UserKind, (key: ObjectKey, deps: Deps, signal: AbortSignal) => Promise<SyncResult>>> = {
  pod: syncPod,
  podgroup: syncPodGroup,
  claim: syncClaim,
};

export const resourceClaimController: ControllerDescriptor<ResourceClaimOptions> = keyedController({
  name: "resourceclaim-controller",
  contract: {
    watches: [Pods, ResourceClaims, ResourceClaimTemplates, PodGroups],
    reads: [get(Pods), get(PodGroups)],
    writes: [
      create(ResourceClaims),
      update(ResourceClaims),
      update(ResourceClaims, "status"),
      remove(ResourceClaims),
      patch(Pods, "status"),
      patch(PodGroups, "status"),
      ...events,
    ],
  },
  build(parts, { workers }) {
    const { clock, gates, metrics } = parts.context;
    const claims = parts.informer(ResourceClaims);
    const groups = gates.isEnabled("DRAWorkloadResourceClaims") ? parts.informer(PodGroups) : undefined;
    const deps: Deps = {
      pods: parts.informer(Pods),
      claims,
      templates: parts.informer(ResourceClaimTemplates),
      groups,
      podsApi: parts.client.resource(Pods),
      claimsApi: parts.client.resource(ResourceClaims),
      groupsApi: parts.client.resource(PodGroups),
      created: new CreatedClaims(clock, claims.store),
      deleted: new UidCache(),
      recorder: parts.recorder("resource_claim"),
      ...claimMetrics(metrics, claims),
      allows: {
        adminAccess: gates.isEnabled("DRAAdminAccess"),
        prioritizedList: gates.isEnabled("DRAPrioritizedList"),
      },
    };
    deps.pods.addIndexers({ [BY_CLAIM]: claimKeysOf, [BY_TEMPLATE]: templateKeysOf });
    claims.addIndexers({ [BY_POD_OWNER]: claimKeysByPodOwner });
    const queue = parts.queue<WorkKey>({ name: "resource_claim" });
    const triggers = new Triggers(queue, deps);
    parts.handle(deps.pods, {
      onAdd: (pod) => triggers.pod(pod, "add"),
      onUpdate: (_, pod) => triggers.pod(pod, "update"),
      onDelete: (pod) => triggers.pod(pod, "delete"),
    });
    parts.handle(claims, {
      onAdd: (claim) => triggers.claim(claim, "add"),
      onUpdate: (_, claim) => triggers.claim(claim, "update"),
      onDelete: (claim) => triggers.claim(claim, "delete"),
    });
    parts.handle(deps.templates, {
      onAdd: (template) => triggers.template(template, "add"),
      onUpdate: (_, template) => triggers.template(template, "update"),
    });
    if (groups !== undefined) {
      deps.pods.addIndexers({ [BY_GROUP]: groupKeysOf });
      groups.addIndexers({ [BY_CLAIM]: claimKeysOf, [BY_TEMPLATE]: templateKeysOf });
      claims.addIndexers({ [BY_GROUP_OWNER]: claimKeysByGroupOwner });
      parts.handle(groups, {
        onAdd: (group) => triggers.group(group, "add"),
        onUpdate: (_, group) => triggers.group(group, "update"),
        onDelete: (group) => triggers.group(group, "delete"),
      });
    }
    parts.work({
      queue,
      workers,
      sync(key, signal) {
        const colon = key.indexOf(":");
        return syncs[key.slice(0, colon) as UserKind](key.slice(colon + 1) as ObjectKey, deps, signal);
      },
    });
  },
});
