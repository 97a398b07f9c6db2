// The events resource of the API server as an event sink.

import type { Event } from "#api/generated/types/core-v1.ts";
import type { Client } from "#client/client.ts";
import type { EventSink } from "./recorder.ts";

export function eventSink(client: Client): EventSink {
  const events = client.resource<Event>({ group: "", version: "v1", resource: "events" });
  return {
    create: (event, signal) =>
      events.create(
        { namespace: event.metadata.namespace ?? "", object: { apiVersion: "v1", kind: "Event", ...event } },
        signal,
      ),
    patch: (event, patch, signal) =>
      events.patch(
        { namespace: event.metadata.namespace ?? "", name: event.metadata.name ?? "", type: "strategic", patch },
        signal,
      ),
  };
}
