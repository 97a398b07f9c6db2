// How controllers report events: a recorder never blocks and never fails; its broadcaster logs,
// correlates and writes them in the background.
// Upstream: client-go/tools/record/event.go.

import type { Event, ObjectReference } from "#api/generated/types/core-v1.ts";
import type { Kind, KubeObject } from "#api/object.ts";

export type EventType = "Normal" | "Warning";

export interface EventRecorder {
  event(about: ObjectReference, type: EventType, reason: string, message: string): void;
}

/** Where events go: the events resource of the API server. */
export interface EventSink {
  create(event: Event, signal: AbortSignal): Promise<Event>;
  patch(event: Event, patch: object, signal: AbortSignal): Promise<Event>;
}

/** The reference that an event about this object carries. */
export function referenceTo(object: KubeObject, { apiVersion, kind }: Kind): ObjectReference {
  const { namespace, name = "", uid, resourceVersion } = object.metadata ?? {};
  return {
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    apiVersion,
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}
