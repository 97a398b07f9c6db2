import { expect, it } from "vitest";
import { neverAborted, testClock } from "#base/testing.ts";
import { decodeText } from "#client/codec.ts";
import { createClient } from "#client/create-client.ts";
import { jsonResponse, scriptedTransport } from "#client/testing.ts";
import { eventSink } from "./sink.ts";

it("machinery/5.8.10, machinery/5.8.5 events are those of the core group, and repeats strategic patches", async () => {
  const transport = scriptedTransport(() => jsonResponse({}));
  const sink = eventSink(createClient({ transport, clock: testClock(), userAgent: "test" }));
  const event = { metadata: { namespace: "ns", name: "web.1" }, involvedObject: {} };
  await sink.create(event, neverAborted());
  await sink.patch(event, { count: 2 }, neverAborted());
  const bodies = transport.requests.map(({ body }) => body?.kind === "bytes" && JSON.parse(decodeText(body.bytes)));
  expect(bodies).toEqual([{ apiVersion: "v1", kind: "Event", ...event }, { count: 2 }]);
  expect(transport.requests.map(({ method, path, headers }) => [method, path, headers["content-type"]])).toEqual([
    ["POST", "/api/v1/namespaces/ns/events", "application/json"],
    ["PATCH", "/api/v1/namespaces/ns/events/web.1", "application/strategic-merge-patch+json"],
  ]);
});
