// One index, shared by all controllers, that finds objects by their controller and orphans by their namespace.
// Upstream: pkg/controller/controller_utils.go, AddPodControllerIndexer, FilterPodsByOwner; pkg/controller/history.

import { getControllerOf } from "#api/owner-refs.ts";
import type { NamespacedObject, Resource } from "#api/resource.ts";
import type { SharedInformer } from "#informers/informer.ts";

const BY_CONTROLLER = "controller";

/** Adds the index unless another controller already has. */
export function addControllerIndex<T extends NamespacedObject>(informer: SharedInformer<T>): void {
  if (informer.store.hasIndex(BY_CONTROLLER)) return;
  informer.addIndexers({
    [BY_CONTROLLER]: (object) => {
      const { namespace } = object.metadata;
      const controller = getControllerOf(object);
      return [controller === undefined ? namespace : ownedKey(namespace, controller.kind, controller)];
    },
  });
}

/** The objects that this owner controls. */
export function ownedBy<T extends NamespacedObject, O extends NamespacedObject>(
  informer: SharedInformer<T>,
  owner: NoInfer<O>,
  ownerResource: Resource<O>,
): readonly T[] {
  const { namespace } = owner.metadata;
  return informer.store.byIndex(BY_CONTROLLER, ownedKey(namespace, ownerResource.kind, owner.metadata));
}

/** The objects that this owner controls, then the orphans of its namespace. */
export function ownedAndOrphans<T extends NamespacedObject, O extends NamespacedObject>(
  informer: SharedInformer<T>,
  owner: NoInfer<O>,
  ownerResource: Resource<O>,
): readonly T[] {
  const owned = ownedBy(informer, owner, ownerResource);
  const { namespace } = owner.metadata;
  const orphans = informer.store.byIndex(BY_CONTROLLER, namespace);
  return orphans.length === 0 ? owned : [...owned, ...orphans];
}

function ownedKey(namespace: string, kind: string, { name, uid }: { name: string; uid: string }): string {
  return `${namespace}/${kind}/${name}/${uid}`;
}
