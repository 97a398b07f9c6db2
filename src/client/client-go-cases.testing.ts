// For tests only: the client and the resource that client-go's own cases use.

import { type Resource, resourceHandle } from "#api/resource.ts";
import type { HttpResponse } from "#base/http.ts";
import { testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import type { Client, ResourceClient } from "#client/client.ts";
import { encodeText } from "#client/codec.ts";
import { createClient } from "#client/create-client.ts";
import type { RequesterOptions } from "#client/request.ts";
import { type Responder, type ScriptedTransport, scriptedTransport } from "#client/testing.ts";

export const Foos: Resource = resourceHandle({
  group: "",
  version: "v1",
  resource: "foo",
  kind: "Foo",
  scope: "Cluster",
});

interface Stage {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly client: Client;
  readonly foos: ResourceClient;
}

export function setUp(options: Partial<RequesterOptions>, ...responders: Responder[]): Stage {
  const clock = testClock();
  const transport = scriptedTransport(...responders);
  const client = createClient({ transport, clock, userAgent: "test", ...options });
  return { clock, transport, client, foos: client.resource(Foos) };
}

/** An answer, with or without a content type. */
export function answer(status: number, text = "", contentType?: string): HttpResponse {
  return {
    status,
    headers: contentType === undefined ? {} : { "content-type": contentType },
    body: { kind: "bytes", bytes: encodeText(text) },
  };
}
