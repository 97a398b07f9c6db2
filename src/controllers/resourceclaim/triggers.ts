// Which pods, groups and claims need a sync after an event.
// Upstream: pkg/controller/resourceclaim/controller.go, enqueuePod, enqueuePodGroup, enqueueResourceClaim,
// enqueueResourceClaimTemplate.

import { Pods } from "#api/generated/resources/core-v1.ts";
import { ResourceClaims, ResourceClaimTemplates } from "#api/generated/resources/resource-v1.ts";
import { PodGroups } from "#api/generated/resources/scheduling-v1alpha2.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import {
  type ClaimEntry,
  type ClaimUser,
  claimOfEntry,
  isForPod,
  isPodGroupReference,
  isReservedForPod,
} from "#families/devices/claims-of-users.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { type Cause, type ChangeType, eventCause } from "#kit/trace.ts";
import { consumerOf } from "./consumer.ts";
import { type Claim, type Deps, type Group, groupOf, type Template } from "./deps.ts";
import { BY_CLAIM, BY_GROUP, BY_TEMPLATE, claimKeysOf } from "./indexes.ts";
import { isPodDone } from "./sync-claim.ts";

/** An item of the queue: the key of a pod, a group or a claim. */
export type WorkKey = `${"pod" | "podgroup" | "claim"}:${ObjectKey}`;

export class Triggers {
  readonly #queue: KeyQueue<WorkKey>;
  readonly #deps: Deps;

  constructor(queue: KeyQueue<WorkKey>, deps: Deps) {
    this.#queue = queue;
    this.#deps = deps;
  }

  pod(pod: Stored<Pod>, event: ChangeType): void {
    this.#enqueuePod(pod, event === "delete", eventCause(Pods, event, pod));
  }

  group(group: Group, event: ChangeType): void {
    this.#enqueueGroup(group, event === "delete", eventCause(PodGroups, event, group));
  }

  /** Any claim may have reservations of users that are gone; a deleted one may have to be created again. */
  claim(claim: Claim, event: ChangeType): void {
    const cause = eventCause(ResourceClaims, event, claim);
    if (event !== "delete") this.#queue.add(`claim:${objectKey(claim)}`, cause);
    this.#enqueueUsers(BY_CLAIM, objectKey(claim), cause);
  }

  template(template: Template, event: ChangeType): void {
    this.#enqueueUsers(BY_TEMPLATE, objectKey(template), eventCause(ResourceClaimTemplates, event, template));
  }

  #enqueueUsers(index: string, key: ObjectKey, cause: Cause): void {
    for (const pod of this.#deps.pods.store.byIndex(index, key)) this.#enqueuePod(pod, false, cause);
    for (const group of this.#deps.groups?.store.byIndex(index, key) ?? []) this.#enqueueGroup(group, false, cause);
  }

  #enqueuePod(pod: Stored<Pod>, isGone: boolean, cause: Cause): void {
    const extended = pod.status?.extendedResourceClaimStatus;
    if ((pod.spec?.resourceClaims ?? []).length === 0 && extended === undefined) return;
    if (isGone) this.#deps.deleted.add(pod.metadata.uid);
    if (isGone || isPodDone(pod)) {
      this.#enqueueClaims(pod, cause);
      // The scheduler created this claim; no entry of the spec names it.
      if (extended !== undefined) {
        this.#queue.add(`claim:${pod.metadata.namespace}/${extended.resourceClaimName}`, cause);
      }
    }
    if (this.#podNeedsWork(pod)) this.#queue.add(`pod:${objectKey(pod)}`, cause);
  }

  #enqueueGroup(group: Group, isGone: boolean, cause: Cause): void {
    if ((group.spec.resourceClaims ?? []).length === 0) return;
    if (isGone) {
      this.#deps.deleted.add(group.metadata.uid);
      this.#enqueueClaims(group, cause);
    }
    if (this.#groupNeedsWork(group)) this.#queue.add(`podgroup:${objectKey(group)}`, cause);
    // Its pods copy the names of its claims.
    for (const pod of this.#deps.pods.store.byIndex(BY_GROUP, objectKey(group))) this.#enqueuePod(pod, false, cause);
  }

  #enqueueClaims(user: ClaimUser, cause: Cause): void {
    for (const key of claimKeysOf(user)) this.#queue.add(`claim:${key}`, cause);
  }

  #podNeedsWork(pod: Stored<Pod>): boolean {
    if (pod.metadata.deletionTimestamp !== undefined) return false;
    return (pod.spec?.resourceClaims ?? []).some((entry) => this.#entryNeedsWork(pod, entry));
  }

  /** True if the claim must be created, or reserved for a pod that is on a node. */
  #entryNeedsWork(pod: Stored<Pod>, entry: ClaimEntry): boolean {
    const named = claimOfEntry(pod, entry);
    if (named.kind !== "named") return named.kind !== "notNeeded";
    const claim = this.#deps.claims.lister.get(`${pod.metadata.namespace}/${named.name}`);
    if (claim === undefined) return named.isGenerated && this.#mustCreate(pod, entry);
    const groupsHaveClaims = this.#deps.groups !== undefined;
    if (named.isGenerated && !isForPod(pod, claim, groupsHaveClaims)) return false;
    if ((pod.spec?.nodeName ?? "") === "" || isPodDone(pod)) return false;
    return claim.status?.allocation !== undefined && !isReservedForPod(pod, claim, groupsHaveClaims);
  }

  /** The pod's group creates the claims that they share. */
  #mustCreate(pod: Stored<Pod>, entry: ClaimEntry): boolean {
    let group: Group | undefined;
    try {
      group = groupOf(pod, this.#deps);
    } catch {
      return true; // The sync reports that the group is missing, and waits for it.
    }
    try {
      return !isPodGroupReference(consumerOf(pod, group, entry));
    } catch {
      return false; // An entry of a later version, which this controller cannot handle.
    }
  }

  #groupNeedsWork(group: Group): boolean {
    if (group.metadata.deletionTimestamp !== undefined) return false;
    return (group.spec.resourceClaims ?? []).some((entry) => {
      const named = claimOfEntry(group, entry);
      if (named.kind !== "named") return named.kind !== "notNeeded";
      const claim = this.#deps.claims.lister.get(`${group.metadata.namespace}/${named.name}`);
      return claim === undefined && named.isGenerated;
    });
  }
}
