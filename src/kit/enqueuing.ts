// The trigger that most controllers need: an event about an object queues one key, and says why.

import { type ObjectKey, objectKey } from "#api/object.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import type { EventHandler } from "#informers/informer.ts";
import type { KeyQueue } from "./key-queue.ts";
import { type ChangeType, eventCause } from "./trace.ts";

/**
 * Handlers for all three events; take only those that matter. keyOf names the key an object concerns, its own unless
 * said otherwise; undefined means nobody's.
 */
export function enqueuing<T extends StoredObject>(
  queue: KeyQueue,
  resource: Resource<T>,
  keyOf: (object: T) => ObjectKey | undefined = objectKey,
): Required<EventHandler<T>> {
  const enqueue = (event: ChangeType, object: T): void => {
    const key = keyOf(object);
    if (key !== undefined) queue.add(key, eventCause(resource, event, object));
  };
  return {
    onAdd: (object) => enqueue("add", object),
    onUpdate: (_, object) => enqueue("update", object),
    onDelete: (object) => enqueue("delete", object),
  };
}
