// The binder's memory of claims and volumes. It has the binder's writes before the informer has them, so that an event
// of the first of four writes does not undo the other three.
// Upstream: pkg/controller/volume/persistentvolume/pv_controller_base.go, storeObjectUpdate.

import { type ObjectKey, objectKey } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import { compareResourceVersions } from "#api/resource-version.ts";

export class KnownObjects<T extends StoredObject> {
  readonly #objects = new Map<ObjectKey, T>();

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  /** False when a newer version is known. An equal version counts as new, because it is a resync. */
  store(object: T): boolean {
    const key = objectKey(object);
    const known = this.#objects.get(key);
    const isOld =
      known !== undefined &&
      compareResourceVersions(known.metadata.resourceVersion, object.metadata.resourceVersion) > 0;
    if (!isOld) this.#objects.set(key, object);
    return !isOld;
  }

  delete(key: ObjectKey): void {
    this.#objects.delete(key);
  }
}
