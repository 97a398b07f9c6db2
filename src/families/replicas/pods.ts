// The pods a replica owner has to do with: its own, those it may adopt, and those of its siblings, found in caches.
// Upstream: pkg/controller/controller_utils.go, FilterPodsByOwner; replica_set.go, getIndirectlyRelatedPods.

import { ValueError } from "#api/errors.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import { getControllerOf, isControlledBy } from "#api/owner-refs.ts";
import type { Stored } from "#api/resource.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { claim } from "#kit/claim.ts";
import { ownedAndOrphans } from "#kit/controller-index.ts";
import { isPodActive, isPodTerminating } from "#rules/pod-status.ts";
import type { Deps } from "./deps.ts";
import type { ReplicaObject } from "./replica-kind.ts";

export interface OwnPods {
  /** Active, and controlled by the owner after claiming. */
  readonly active: readonly Stored<Pod>[];
  /** Being deleted, still controlled, still matching. */
  readonly terminating: readonly Stored<Pod>[];
}

/** Adopts matching orphans and releases what no longer matches. Finished pods are left as they are. */
export async function claimPods<T extends ReplicaObject>(
  owner: T,
  selector: Selector,
  deps: Deps<T>,
  signal: AbortSignal,
): Promise<OwnPods> {
  const candidates = ownedAndOrphans(deps.pods, owner, deps.kind.resource);
  const { namespace, name } = owner.metadata;
  const active = await claim(candidates.filter(isPodActive), {
    owner,
    ownerResource: deps.kind.resource,
    resource: Pods,
    matches: (pod) => selector.matches(pod.metadata.labels ?? {}),
    readOwnerLive: () => deps.ownersApi.get({ namespace, name }, signal),
    patch: (pod, patch) => deps.podControl.patchPod(pod, patch, signal),
  });
  const terminating = candidates.filter(
    (pod) => isPodTerminating(pod) && isControlledBy(pod, owner) && selector.matches(pod.metadata.labels ?? {}),
  );
  return { active, terminating };
}

/** What the server has by now, past the cache. */
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

/** Makes the owners of one controller known to each other: the ReplicaSets of one Deployment. */
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
    if (selector instanceof ValueError) continue; // it matches nothing
    for (const pod of deps.pods.lister.list(selector, sibling.metadata.namespace)) {
      found.set(pod.metadata.uid, pod);
    }
  }
  return [...found.values()];
}
