// A handler that hears only of objects that pass a filter. An update that crosses the filter becomes an addition or a
// deletion.
// Upstream: client-go/tools/cache/controller.go, FilteringResourceEventHandler

import type { StoredObject } from "#api/resource.ts";
import type { EventHandler } from "#informers/informer.ts";

export function filteringHandler<T extends StoredObject>(
  isWanted: (object: T) => boolean,
  handler: EventHandler<T>,
): EventHandler<T> {
  return {
    onAdd(object, isInInitialList) {
      if (isWanted(object)) handler.onAdd?.(object, isInInitialList);
    },
    onUpdate(oldObject, newObject) {
      const isNewWanted = isWanted(newObject);
      const isOldWanted = isWanted(oldObject);
      if (isNewWanted && isOldWanted) handler.onUpdate?.(oldObject, newObject);
      else if (isNewWanted) handler.onAdd?.(newObject, false);
      else if (isOldWanted) handler.onDelete?.(oldObject, false);
    },
    onDelete(object, isFinalStateUnknown) {
      if (isWanted(object)) handler.onDelete?.(object, isFinalStateUnknown);
    },
  };
}
