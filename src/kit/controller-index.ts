// Objects by their controller, and orphans by namespace, in one index that all who look for it share.
// Upstream: pkg/controller/controller_utils.go, AddPodControllerIndexer, FilterPodsByOwner; pkg/controller/history.

import type { KubeObject } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { SharedInformer } from "#informers/informer.ts";

const BY_CONTROLLER = "controller";

/** Adds the index unless another controller already has. */
export function addControllerIndex<T extends KubeObject>(informer: SharedInformer<T>): void {
  if (informer.store.hasIndex(BY_CONTROLLER)) return;
  informer.addIndexers({
    [BY_CONTROLLER]: (object) => {
      const namespace = object.metadata?.namespace ?? "";
      const controller = getControllerOf(object);
      return [controller === undefined ? namespace : ownedKey(namespace, controller.kind, controller)];
    },
  });
}

/** What this owner controls, then the orphans of its namespace. */
export function ownedAndOrphans<T extends KubeObject>(
  informer: SharedInformer<T>,
  owner: KubeObject,
  ownerKind: string,
): readonly T[] {
  const { namespace = "", name = "", uid = "" } = owner.metadata ?? {};
  const owned = informer.store.byIndex(BY_CONTROLLER, ownedKey(namespace, ownerKind, { name, uid }));
  const orphans = informer.store.byIndex(BY_CONTROLLER, namespace);
  return orphans.length === 0 ? owned : [...owned, ...orphans];
}

function ownedKey(namespace: string, kind: string, { name, uid }: { name: string; uid: string }): string {
  return `${namespace}/${kind}/${name}/${uid}`;
}
