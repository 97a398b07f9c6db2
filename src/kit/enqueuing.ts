// The usual trigger of a controller: an event about an object queues the keys that it concerns, with the cause.

import { type ObjectKey, objectKey } from "#api/object.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import type { EventHandler } from "#informers/informer.ts";
import type { KeyQueue } from "./key-queue.ts";
import { type ChangeType, eventCause } from "./trace.ts";

interface CommonRule<T> {
  /** The events that count; all three unless given. */
  readonly on?: readonly ChangeType[];
  /** Whether an event matters. Only an update has an old object. */
  readonly when?: (object: T, oldObject: T | undefined) => boolean;
  /** A delay that collects many events into one sync. */
  readonly afterMs?: number;
}

/** The key that an object concerns, if any; the object's own key unless given. Required when keys are not strings. */
export type EnqueueRule<T, K = ObjectKey> = CommonRule<T> &
  (ObjectKey extends K
    ? { readonly key?: (object: T) => K | undefined }
    : { readonly key: (object: T) => K | undefined });

export function enqueuing<T extends StoredObject, K extends {} = ObjectKey>(
  queue: KeyQueue<K>,
  resource: Resource<T>,
  rule: EnqueueRule<T, K>,
): EventHandler<T> {
  const { on = ["add", "update", "delete"], when = () => true, afterMs } = rule;
  // Without a key in the rule, K is ObjectKey.
  const keyOf = rule.key ?? ((object: T) => objectKey(object) as unknown as K);
  const enqueue = (event: ChangeType, object: T, oldObject?: T): void => {
    const key = when(object, oldObject) ? keyOf(object) : undefined;
    if (key === undefined) return;
    const cause = eventCause(resource, event, object);
    if (afterMs === undefined) queue.add(key, cause);
    else queue.addAfter(key, afterMs, cause);
  };
  return {
    ...(on.includes("add") ? { onAdd: (object) => enqueue("add", object) } : {}),
    ...(on.includes("update") ? { onUpdate: (oldObject, object) => enqueue("update", object, oldObject) } : {}),
    ...(on.includes("delete") ? { onDelete: (object) => enqueue("delete", object) } : {}),
  };
}
