// Reading a cache by key, namespace and labels.

import type { GroupVersionResource, ObjectKey } from "#api/object.ts";
import { splitKey } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import { newNotFound } from "#api/status-error.ts";
import type { LabelMatcher, Lister } from "#informers/informer.ts";
import { NAMESPACE_INDEX, type Store } from "#informers/store.ts";

const NO_LABELS = {};

export function createLister<T extends StoredObject>(store: Store<T>, gvr: GroupVersionResource): Lister<T> {
  return {
    list(selector?: LabelMatcher, namespace?: string): readonly T[] {
      if (selector?.isSelectable === false) return [];
      const candidates = namespace ? store.byIndex(NAMESPACE_INDEX, namespace) : [...store.values()];
      if (!selector || selector.isEmpty) return candidates;
      return candidates.filter((object) => selector.matches(object.metadata.labels ?? NO_LABELS));
    },
    get: (key) => store.get(key),
    require(key: ObjectKey): T {
      const object = store.get(key);
      if (!object) throw newNotFound(gvr, splitKey(key).name);
      return object;
    },
  };
}
