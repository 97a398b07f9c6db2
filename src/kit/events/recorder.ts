// Records events of controllers. A recorder never blocks and never fails; its broadcaster logs, correlates and writes
// the events in the background.
// Upstream: client-go/tools/record/event.go.

import type { Event, ObjectReference } from "#api/generated/types/core-v1.ts";
import { apiVersionOf } from "#api/object.ts";
import type { Resource, StoredObject } from "#api/resource.ts";

export type EventType = "Normal" | "Warning";

export interface EventRecorder {
  /** host: the node that the event comes from; controllers have none. */
  event(about: ObjectReference, type: EventType, reason: string, message: string, host?: string): void;
}

/** An event with a name: before it is written, or as the API server stores it. */
export type NamedEvent = Event & { readonly metadata: { readonly name: string; readonly namespace: string } };

/** The events resource of the API server, to which events are written. */
export interface EventSink {
  create(event: NamedEvent, signal: AbortSignal): Promise<NamedEvent>;
  patch(event: NamedEvent, patch: object, signal: AbortSignal): Promise<NamedEvent>;
}

/** The object reference for an event about this object. */
export function referenceTo<T extends StoredObject>(object: NoInfer<T>, resource: Resource<T>): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    kind: resource.kind,
    ...(namespace ? { namespace } : {}),
    name,
    uid,
    apiVersion: apiVersionOf(resource),
    resourceVersion,
  };
}
