// The events resource of the API server as an event sink.

import { Events } from "#api/generated/resources/core-v1.ts";
import type { Client } from "#client/client.ts";
import type { EventSink } from "./recorder.ts";

export function eventSink(client: Client): EventSink {
  const events = client.resource(Events);
  return {
    create: (event, signal) => events.create({ object: event }, signal),
    patch: ({ metadata: { namespace, name } }, patch, signal) =>
      events.patch({ namespace, name, type: "strategic", patch }, signal),
  };
}
