// Pods by their controller, and orphans by namespace, in one index that all workload controllers share.
// Upstream: pkg/controller/controller_utils.go, AddPodControllerIndexer, FilterPodsByOwner.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { SharedInformer } from "#informers/informer.ts";

const PODS_BY_CONTROLLER = "podController";

/** Adds the index unless another controller already has. */
export function addPodControllerIndex(pods: SharedInformer<Pod>): void {
  if (pods.store.hasIndex(PODS_BY_CONTROLLER)) return;
  pods.addIndexers({
    [PODS_BY_CONTROLLER]: (pod) => {
      const namespace = pod.metadata?.namespace ?? "";
      const controller = getControllerOf(pod);
      return [
        controller === undefined ? namespace : ownedKey(namespace, controller.kind, controller.name, controller.uid),
      ];
    },
  });
}

/** The pods this owner controls, then the orphans of its namespace. */
export function ownedAndOrphanPods(pods: SharedInformer<Pod>, owner: KubeObject, ownerKind: string): readonly Pod[] {
  const { namespace = "", name = "", uid = "" } = owner.metadata ?? {};
  const owned = pods.store.byIndex(PODS_BY_CONTROLLER, ownedKey(namespace, ownerKind, name, uid));
  const orphans = pods.store.byIndex(PODS_BY_CONTROLLER, namespace);
  return orphans.length === 0 ? owned : [...owned, ...orphans];
}

const ownedKey = (namespace: string, kind: string, name: string, uid: string): string =>
  `${namespace}/${kind}/${name}/${uid}`;
