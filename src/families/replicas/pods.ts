// Finds the pods of a replica owner in the caches: its own, those it may adopt, and those of its siblings.
// Upstream: pkg/controller/controller_utils.go, FilterPodsByOwner; replica_set.go, getIndirectlyRelatedPods.

import { ValueError } from "#api/errors.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { Stored } from "#api/resource.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { claim } from "#kit/claim.ts";
import { ownedAndOrphans } from "#kit/controller-index.ts";
import { isPodActive, isPodReady } from "#rules/pod-status.ts";
import type { Deps } from "./deps.ts";
import { FULLY_LABELED, IN_QUESTION, isFullyLabeled, KEPT, READY, TERMINATING } from "./pod-marks.ts";
import type { ReplicaObject } from "./replica-kind.ts";

export interface OwnPods {
  /** Active, and controlled by the owner after the claim. */
  readonly active: readonly Stored<Pod>[];
  /** Being deleted, still controlled, still matching. */
  readonly terminating: readonly Stored<Pod>[];
  /** How many of the active ones have all labels of the template. */
  readonly fullyLabeled: number;
  /** The active pods that are ready. */
  readonly ready: readonly Stored<Pod>[];
}

/** Adopts matching orphans and releases pods that no longer match. Finished pods are not touched. */
export async function claimPods<T extends ReplicaObject>(
  owner: T,
  selector: Selector,
  deps: Deps<T>,
  signal: AbortSignal,
): Promise<OwnPods> {
  const candidates = ownedAndOrphans(deps.pods, owner, deps.kind.resource);
  const marks = deps.podMarks.of(owner, selector, candidates);
  const active: Stored<Pod>[] = [];
  const terminating: Stored<Pod>[] = [];
  const ready: Stored<Pod>[] = [];
  let fullyLabeled = 0;
  let isAnyInQuestion = false;
  // One pass: this may be thousands of pods in every sync.
  candidates.forEach((pod, i) => {
    const mark = marks[i] ?? 0;
    if (mark & KEPT) active.push(pod);
    if (mark & READY) ready.push(pod);
    if (mark & FULLY_LABELED) fullyLabeled++;
    if (mark & TERMINATING) terminating.push(pod);
    if (mark & IN_QUESTION) isAnyInQuestion = true;
  });
  if (!isAnyInQuestion) return { active, terminating, fullyLabeled, ready };
  const { namespace, name } = owner.metadata;
  const claimed = await claim(candidates.filter(isPodActive), {
    owner,
    ownerResource: deps.kind.resource,
    resource: Pods,
    matches: (pod) => selector.matches(pod.metadata.labels ?? {}),
    readOwnerLive: () => deps.ownersApi.get({ namespace, name }, signal),
    patch: (pod, patch) => deps.podControl.patchPod(pod, patch, signal),
  });
  return ownPods(owner, claimed, terminating);
}

/** Classifies the pods that belong to the owner. */
export function ownPods(
  owner: ReplicaObject,
  active: readonly Stored<Pod>[],
  terminating: readonly Stored<Pod>[] = [],
): OwnPods {
  const fullyLabeled = active.filter((pod) => isFullyLabeled(pod, owner)).length;
  return { active, terminating, fullyLabeled, ready: active.filter(isPodReady) };
}

/** Lists the pods on the server, bypassing the cache. */
export async function podsOnServer<T extends ReplicaObject>(
  owner: T,
  selector: Selector,
  deps: Deps<T>,
  signal: AbortSignal,
): Promise<readonly Stored<Pod>[]> {
  const { namespace } = owner.metadata;
  const { items } = await deps.podsApi.list({ namespace, labelSelector: selector.toString() }, signal);
  return items;
}

const OWNERS_BY_CONTROLLER = "controllerUID";

/** Indexes owners by their controller: the ReplicaSets of one Deployment. */
export function addSiblingIndex<T extends ReplicaObject>(owners: SharedInformer<T>): void {
  owners.addIndexers({
    [OWNERS_BY_CONTROLLER]: (owner) => {
      const controller = getControllerOf(owner);
      return controller === undefined ? [] : [controller.uid];
    },
  });
}

/** Pods that match any owner with this controller: all revisions of one Deployment. */
export function podsOfSiblings<T extends ReplicaObject>(controllerUid: string, deps: Deps<T>): readonly Stored<Pod>[] {
  if (!deps.kind.ranksBySiblings) return [];
  const found = new Map<string, Stored<Pod>>();
  for (const sibling of deps.owners.store.byIndex(OWNERS_BY_CONTROLLER, controllerUid)) {
    const selector = deps.selectorOf(sibling);
    if (selector instanceof ValueError) continue; // an invalid selector matches nothing
    for (const pod of deps.pods.lister.list(selector, sibling.metadata.namespace)) {
      found.set(pod.metadata.uid, pod);
    }
  }
  return [...found.values()];
}
