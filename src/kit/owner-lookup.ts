// Finds the owners that an event about a dependent object concerns: the controller that the object names, or the owners
// whose selector would adopt it as an orphan. Reads only the owners' cache.
// Upstream: pkg/controller/replicaset/replica_set.go, resolveControllerRef, getPodReplicaSets; the same in deployment,
// daemon, statefulset and job.

import { semanticEqual } from "#api/equality.ts";
import { ValueError } from "#api/errors.ts";
import type { Selector } from "#api/label-selector.ts";
import type { OwnerReference } from "#api/meta.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { NamespacedObject, Resource } from "#api/resource.ts";
import type { Lister } from "#informers/informer.ts";

export interface OwnerLookupOptions<O extends NamespacedObject> {
  readonly resource: Resource<O>;
  readonly owners: { readonly lister: Lister<O> };
  /** The owner's selector, or the error in it: see parsedSelectors. */
  readonly selectorOf: (owner: O) => Selector | ValueError;
  /** Called when several owners would adopt one orphan, which is a mistake of the user. */
  readonly onSeveralAdopters?: (orphan: NamespacedObject, adopters: readonly O[]) => void;
}

export class OwnerLookup<O extends NamespacedObject> {
  readonly #options: OwnerLookupOptions<O>;

  constructor(options: OwnerLookupOptions<O>) {
    this.#options = options;
  }

  /** The owner that controls the object. A new owner with the same name does not count. */
  controllerOf(object: NamespacedObject): O | undefined {
    const controller = getControllerOf(object);
    return controller && this.#resolve(object.metadata.namespace, controller);
  }

  /**
   * The owners that would adopt this orphan. An object without labels and an owner with an empty selector never match.
   */
  adoptersOf(orphan: NamespacedObject): readonly O[] {
    const { owners, selectorOf, onSeveralAdopters } = this.#options;
    const { namespace, labels = {} } = orphan.metadata;
    if (Object.keys(labels).length === 0) return [];
    const adopters = owners.lister.list(undefined, namespace).filter((owner) => {
      const selector = selectorOf(owner);
      return !(selector instanceof ValueError) && !selector.isEmpty && selector.matches(labels);
    });
    if (adopters.length > 1) onSeveralAdopters?.(orphan, adopters);
    return adopters;
  }

  /** The owners that an added object concerns: its controller, or its adopters when it has none. */
  concernedByAdd(object: NamespacedObject): readonly O[] {
    if (getControllerOf(object) === undefined) return this.adoptersOf(object);
    return listOf(this.controllerOf(object));
  }

  /**
   * The owners that an update concerns: the controller that lost the object, and its current controller or new
   * adopters.
   */
  concernedByUpdate(oldObject: NamespacedObject, object: NamespacedObject): readonly O[] {
    const oldController = getControllerOf(oldObject);
    const controller = getControllerOf(object);
    const controllerChanged = !semanticEqual(oldController, controller);
    const lost = controllerChanged ? listOf(this.controllerOf(oldObject)) : [];
    if (controller !== undefined) return [...lost, ...listOf(this.controllerOf(object))];
    return controllerChanged || labelsChanged(oldObject, object) ? [...lost, ...this.adoptersOf(object)] : lost;
  }

  #resolve(namespace: string, { kind, name, uid }: OwnerReference): O | undefined {
    const { resource, owners } = this.#options;
    if (kind !== resource.kind) return undefined;
    const owner = owners.lister.get(`${namespace}/${name}`);
    return owner?.metadata.uid === uid ? owner : undefined;
  }
}

export function labelsChanged(oldObject: NamespacedObject, object: NamespacedObject): boolean {
  return !semanticEqual(oldObject.metadata.labels ?? {}, object.metadata.labels ?? {});
}

function listOf<T>(item: T | undefined): readonly T[] {
  return item === undefined ? [] : [item];
}
