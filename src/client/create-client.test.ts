// Requests and answers of the client: verbs, errors, retries, throttling, trace.

import { describe, expect, it } from "vitest";
import { ControllerRevisions, Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import { withKind } from "#api/resource.ts";
import { ApiError, isNotFound } from "#api/status-error.ts";
import { stored } from "#api/testing.ts";
import { type HttpRequest, type HttpResponse, TransportError } from "#base/http.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import type { Client, RequestRecord } from "#client/client.ts";
import { decodeText } from "#client/codec.ts";
import { createClient } from "#client/create-client.ts";
import { rateLimiterFor } from "#client/rate-limiter.ts";
import type { RequesterOptions } from "#client/request.ts";
import { fedStream, jsonResponse, scriptedTransport, streamResponse, textResponse } from "#client/testing.ts";

const signal = neverAborted();

function setup(...responders: Parameters<typeof scriptedTransport>) {
  return setupWith({}, ...responders);
}

function setupWith(options: Partial<RequesterOptions>, ...responders: Parameters<typeof scriptedTransport>) {
  const clock = testClock();
  const transport = scriptedTransport(...responders);
  const client = createClient({ transport, clock, userAgent: "test/1", ...options });
  return { clock, transport, client };
}

function sent(request: HttpRequest | undefined): string {
  if (!request) return "nothing";
  const body = request.body?.kind === "bytes" ? ` ${decodeText(request.body.bytes)}` : "";
  const type = request.headers["content-type"] ? ` [${request.headers["content-type"]}]` : "";
  return `${request.method} ${request.path}${request.query && `?${request.query}`}${type}${body}`;
}

const pod = stored(Pods, { metadata: { name: "a" } });
const podText = JSON.stringify({ ...pod, apiVersion: "v1", kind: "Pod" });
const at = { namespace: "ns", name: "a" };

describe("verbs", () => {
  const cases: [string, (client: Client) => Promise<unknown>, string][] = [
    ["get", (c) => c.resource(Pods).get(at, signal), "GET /api/v1/namespaces/ns/pods/a"],
    [
      "list",
      (c) => c.resource(Deployments).list({ labelSelector: "a=b,c", limit: 500, resourceVersion: "0" }, signal),
      "GET /apis/apps/v1/deployments?labelSelector=a%3Db%2Cc&limit=500&resourceVersion=0",
    ],
    [
      "create",
      (c) =>
        c.resource(Pods).create({ namespace: "ns", object: { metadata: { name: "a" } }, fieldManager: "m" }, signal),
      'POST /api/v1/namespaces/ns/pods?fieldManager=m [application/json] {"metadata":{"name":"a"},"apiVersion":"v1","kind":"Pod"}',
    ],
    [
      "update",
      (c) => c.resource(Pods).update({ object: pod }, signal),
      `PUT /api/v1/namespaces/ns/pods/a [application/json] ${podText}`,
    ],
    [
      "updateStatus",
      (c) => c.resource(Pods).updateStatus({ object: pod, dryRun: true }, signal),
      `PUT /api/v1/namespaces/ns/pods/a/status?dryRun=All [application/json] ${podText}`,
    ],
    [
      "patch",
      (c) => c.resource(Pods).patch({ ...at, type: "strategic", patch: { a: 1 }, subresource: "status" }, signal),
      'PATCH /api/v1/namespaces/ns/pods/a/status [application/strategic-merge-patch+json] {"a":1}',
    ],
    [
      "json patch",
      (c) => c.resource(Pods).patch({ ...at, type: "json", patch: [] }, signal),
      "PATCH /api/v1/namespaces/ns/pods/a [application/json-patch+json] []",
    ],
    [
      "apply",
      (c) =>
        c.resource(Pods).apply({ ...at, object: { spec: { containers: [] } }, fieldManager: "m", force: true }, signal),
      'PATCH /api/v1/namespaces/ns/pods/a?fieldManager=m&force=true [application/apply-patch+yaml] {"spec":{"containers":[]},"apiVersion":"v1","kind":"Pod"}',
    ],
    [
      "delete",
      (c) => c.resource(Pods).delete({ ...at, options: { preconditions: { uid: "u" } } }, signal),
      'DELETE /api/v1/namespaces/ns/pods/a [application/json] {"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}}',
    ],
    [
      "delete without options",
      (c) => c.resource(Pods).delete(at, signal),
      'DELETE /api/v1/namespaces/ns/pods/a [application/json] {"kind":"DeleteOptions","apiVersion":"v1"}',
    ],
    [
      "deleteCollection",
      (c) => c.resource(Pods).deleteCollection({ namespace: "ns", fieldSelector: "metadata.name=a" }, signal),
      'DELETE /api/v1/namespaces/ns/pods?fieldSelector=metadata.name%3Da [application/json] {"kind":"DeleteOptions","apiVersion":"v1"}',
    ],
    [
      "subresource",
      (c) => c.resource(Pods).createSubresource({ ...at, subresource: "eviction", object: {} }, signal),
      "POST /api/v1/namespaces/ns/pods/a/eviction [application/json] {}",
    ],
    [
      "cluster-scoped name with colons",
      (c) => c.resource(ClusterRoles).get({ name: "system:controller:x" }, signal),
      "GET /apis/rbac.authorization.k8s.io/v1/clusterroles/system:controller:x",
    ],
  ];
  it.each(cases)("%s", async (_name, run, expected) => {
    const { client, transport } = setup(() => jsonResponse({ kind: "Pod" }));
    await run(client);
    expect(sent(transport.requests[0])).toBe(expected);
    expect(transport.requests[0]?.headers["user-agent"]).toBe("test/1");
  });

  it("encodes a body like Go: a raw payload has the same bytes from any writer", async () => {
    const { client, transport } = setup(() => jsonResponse({}));
    const object = { metadata: { name: "a", namespace: "ns" }, revision: 1, data: { command: "a && b <c >d \u2028" } };
    await client.resource(ControllerRevisions).create({ object }, signal);
    expect(sent(transport.requests[0])).toContain('{"command":"a \\u0026\\u0026 b \\u003cc \\u003ed \\u2028"}');
  });

  it("fills in apiVersion and kind of what it writes", async () => {
    const { client, transport } = setup(() => jsonResponse({}));
    const sets = client.resource(ReplicaSets);
    const metadata = { name: "a", namespace: "ns", uid: "u", resourceVersion: "1", creationTimestamp: "t" };
    await sets.create({ object: { metadata: { name: "a", namespace: "ns" } } }, signal);
    await sets.update({ object: { metadata } }, signal);
    await sets.updateStatus({ object: { metadata } }, signal);
    await sets.apply({ ...at, object: {}, fieldManager: "m" }, signal);
    for (const request of transport.requests) {
      expect(sent(request)).toContain('"apiVersion":"apps/v1","kind":"ReplicaSet"');
    }
  });

  it("refuses to name or create a namespaced object without a namespace", async () => {
    const { client, transport } = setup(() => jsonResponse({}));
    const pods = client.resource(Pods);
    const named = "an empty namespace may not be set when a resource name is provided";
    await expect(pods.get({ name: "a" }, signal)).rejects.toThrow(named);
    await expect(pods.delete({ namespace: "", name: "a" }, signal)).rejects.toThrow(named);
    await expect(pods.create({ object: { metadata: { name: "a" } } }, signal)).rejects.toThrow(
      "an empty namespace may not be set during creation",
    );
    expect(transport.requests).toHaveLength(0);
  });

  it.each(["..", ".", "", "a/b", "a%2f"])("refuses the name %j before anything is sent", async (name) => {
    const { client, transport } = setup(() => jsonResponse({}));
    await expect(client.resource(Pods).get({ namespace: "ns", name }, signal)).rejects.toThrow(/resource name/);
    expect(transport.requests).toHaveLength(0);
  });

  it("passes the object itself to a direct server and takes its value uncopied", async () => {
    const value = Object.freeze({ kind: "Pod" });
    const answer: HttpResponse = { status: 200, headers: {}, body: { kind: "object", value } };
    const { client, transport } = setupWith({ direct: true }, () => answer);
    const object = withKind(pod, Pods);
    expect(await client.resource(Pods).update({ object }, signal)).toBe(value as never);
    const [request] = transport.requests;
    expect(request?.direct).toBe(true);
    expect(request?.body?.kind === "object" && request.body.value).toBe(object);
  });
});

describe("errors", () => {
  it("rebuilds the server's Status", async () => {
    const status = { kind: "Status", status: "Failure", reason: "NotFound", code: 404, message: 'pods "a" not found' };
    const { client } = setup(() => jsonResponse(status, 404));
    const error = await client
      .resource(Pods)
      .get(at, signal)
      .catch((e: unknown) => e);
    expect(isNotFound(error)).toBe(true);
    expect((error as Error).message).toBe('pods "a" not found');
  });

  it.each([
    [
      502,
      "bad gateway",
      'an error on the server ("bad gateway") has prevented the request from succeeding (get pods a)',
    ],
    [404, "nope", "the server could not find the requested resource (get pods a)"],
    [418, "teapot", "the server responded with the status code 418 but did not return more information (get pods a)"],
  ])("words a bare %i as client-go does", async (code, text, message) => {
    const { client } = setup(() => textResponse(text, code));
    await expect(client.resource(Pods).get(at, signal)).rejects.toThrow(message);
  });

  it("takes a Status of failure under 200 as an error", async () => {
    const { client } = setup(() => jsonResponse({ kind: "Status", status: "Failure", message: "no" }));
    await expect(client.resource(Pods).get(at, signal)).rejects.toThrow(ApiError);
  });

  it("does not care what a delete that succeeded answers with", async () => {
    const { client } = setup(() => ({ ...textResponse("{", 200), headers: { "content-type": "application/json" } }));
    expect(await client.resource(Pods).delete(at, signal)).toBeUndefined();
  });

  it("calls malformed and empty bodies by their name", async () => {
    const { client } = setup(
      () => ({ ...textResponse("{", 200), headers: { "content-type": "application/json" } }),
      () => ({ ...textResponse("", 200), headers: { "content-type": "application/json" } }),
    );
    await expect(client.resource(Pods).get(at, signal)).rejects.toThrow(/malformed JSON/);
    await expect(client.resource(Pods).get(at, signal)).rejects.toThrow(
      "0-length response with status code: 200 and content type: application/json",
    );
  });
});

describe("retries", () => {
  const busy = (status: number, after: string) => () => textResponse("later", status, { "retry-after": after });
  const lost = () => {
    throw new TransportError("reset", "connection reset by peer");
  };

  it("machinery/4.2.1 retries 429 and 5xx with Retry-After, writes too, and waits that long", async () => {
    const { client, clock, transport } = setup(busy(429, "2"), busy(503, "3"), () => jsonResponse({ kind: "Pod" }));
    const done = client.resource(Pods).create({ object: pod }, signal);
    await clock.run("idle");
    await done;
    expect(transport.requests).toHaveLength(3);
    expect(clock.monotonicMs()).toBe(5000);
  });

  it("machinery/4.2.1 gives up after ten retries and passes each through the rate limiter", async () => {
    let waits = 0;
    const rateLimiter = { wait: async () => void waits++ };
    const { client, clock, transport } = setupWith({ rateLimiter }, busy(500, "1"));
    const done = client
      .resource(Pods)
      .get(at, signal)
      .catch((e: unknown) => e);
    await clock.run("idle");
    expect(await done).toBeInstanceOf(ApiError);
    expect(transport.requests).toHaveLength(11);
    expect(waits).toBe(11);
  });

  it.each([
    [500, {}],
    [429, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }],
    [409, { "retry-after": "1" }],
  ])("machinery/4.2.1 does not retry %i with %j", async (status, headers) => {
    const { client, transport } = setup(() => textResponse("no", status, headers));
    await expect(client.resource(Pods).get(at, signal)).rejects.toThrow(ApiError);
    expect(transport.requests).toHaveLength(1);
  });

  it("machinery/4.2.1 retries even when the body of the refusal is lost", async () => {
    const lost = fedStream();
    lost.fail(new TransportError("reset", "connection reset by peer"));
    const { client, clock, transport } = setup(
      () => ({ ...streamResponse(lost, { "retry-after": "1" }), status: 429 }),
      () => streamResponse(fedStream()),
    );
    const opened = client.resource(Pods).watch({}, signal);
    await clock.advance(1000);
    expect(await opened.then(() => transport.requests.length)).toBe(2);
  });

  it("machinery/4.2.2 retries a lost connection for reads after a second, never for writes", async () => {
    const { client, clock, transport } = setup(lost, () => jsonResponse({ kind: "Pod" }));
    const read = client.resource(Pods).get(at, signal);
    await clock.run("idle");
    await read;
    expect(clock.monotonicMs()).toBe(1000);
    expect(transport.requests).toHaveLength(2);
    const { client: writer } = setup(lost);
    await expect(writer.resource(Pods).create({ object: pod }, signal)).rejects.toThrow(TransportError);
  });

  it("machinery/4.2.2 turns a watch that never opens because the connection drops into an empty one", async () => {
    const { client, clock, transport } = setup(lost);
    const watching = client.resource(Pods).watch({}, signal);
    await clock.run("idle");
    const batches = [];
    for await (const batch of await watching) batches.push(batch);
    expect(batches).toEqual([]);
    expect(transport.requests).toHaveLength(11);
  });

  it("machinery/4.2.4 names the error of an earlier attempt", async () => {
    const refused = () => {
      throw new TransportError("refused", "connection refused");
    };
    const { client, clock } = setup(lost, refused);
    const failed = client
      .resource(Pods)
      .get(at, signal)
      .catch((e: unknown) => e);
    await clock.run("idle");
    expect(((await failed) as Error).message).toBe(
      "connection refused - error from a previous attempt: connection reset by peer",
    );
  });

  it("ends a wait for Retry-After when the caller aborts", async () => {
    const { client, clock } = setup(busy(429, "60"));
    const stop = new AbortController();
    const done = client
      .resource(Pods)
      .get(at, stop.signal)
      .catch((e: unknown) => e);
    await clock.settle();
    stop.abort("enough");
    expect(await done).toBe("enough");
    expect(clock.pendingCount).toBe(0);
  });
});

describe("throttling", () => {
  it("machinery/4.1.5 lets a burst pass, then keeps to the rate, and leaves watches alone", async () => {
    const { client, clock, transport } = setup(() => jsonResponse({ kind: "Pod" }));
    const bucket = rateLimiterFor({ qps: 10, burst: 2 }, clock);
    if (!bucket) throw new Error("no limit");
    const limited = createClient({
      transport,
      clock,
      userAgent: "t",
      rateLimiter: bucket,
    });
    const times: number[] = [];
    const all = Array.from({ length: 4 }, () =>
      limited
        .resource(Pods)
        .get(at, signal)
        .then(() => times.push(clock.monotonicMs())),
    );
    await client.resource(Pods).watch({}, signal);
    await clock.run("idle");
    await Promise.all(all);
    expect(times).toEqual([0, 0, 100, 200]);
  });

  it.each([
    [{ qps: 20, burst: 30 }, true],
    [{ qps: 0, burst: 0 }, true],
    [{ qps: -1, burst: 0 }, false],
  ])("machinery/4.1.5 reads the limits %j", (limits, isLimited) => {
    expect(rateLimiterFor(limits, testClock()) !== undefined).toBe(isLimited);
  });

  it("machinery/4.1.5 refuses a rate without a burst", () => {
    expect(() => rateLimiterFor({ qps: 1, burst: 0 }, testClock())).toThrow("burst is required");
  });
});

describe("seams", () => {
  it("traces each finished request with the caller's own signal", async () => {
    const records: [RequestRecord, AbortSignal][] = [];
    const { client } = setupWith({ trace: (record, s) => records.push([record, s]) }, () => jsonResponse({}, 201));
    await client.resource(Pods).create({ namespace: "ns", object: pod }, signal);
    expect(records).toEqual([
      [
        {
          verb: "create",
          path: "/api/v1/namespaces/ns/pods",
          query: "",
          resource: Pods,
          namespace: "ns",
          name: "a",
          status: 201,
          attempts: 1,
        },
        signal,
      ],
    ]);
  });

  it("passes on Warning headers", async () => {
    const warnings: unknown[] = [];
    const header = { warning: ['299 - "first \\"one\\""', '299 - "second"'] };
    const { client } = setupWith({ onWarning: (w) => warnings.push(w.text) }, () => jsonResponse({}, 200, header));
    await client.resource(Pods).get(at, signal);
    expect(warnings).toEqual(['first "one"', "second"]);
  });

  it("machinery/4.1.7 asks for metadata only", async () => {
    const { client, transport } = setup(() => jsonResponse({ kind: "PartialObjectMetadataList", items: [] }));
    await client.metadata(Pods).list({}, signal);
    expect(transport.requests[0]?.headers.accept).toBe(
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
    );
  });

  it("machinery/4.1.8 reduces the objects of a server that does not know the metadata form", async () => {
    const full = { apiVersion: "x/v1", kind: "Thing", metadata: { name: "a", uid: "u" }, spec: { big: true } };
    const list = { apiVersion: "x/v1", kind: "ThingList", metadata: { resourceVersion: "7" }, items: [full] };
    const { client } = setup(
      () => jsonResponse(full),
      () => jsonResponse(list),
      () => jsonResponse({ kind: "Thing" }),
    );
    expect(await client.metadata(Pods).get(at, signal)).toEqual({ metadata: full.metadata });
    expect(await client.metadata(Pods).list({}, signal)).toEqual({
      metadata: { resourceVersion: "7" },
      items: [{ metadata: full.metadata }],
    });
    await expect(client.metadata(Pods).get(at, signal)).rejects.toThrow("ObjectMeta schema");
  });

  it("machinery/4.1.8 takes only the metadata form, or an error, from a watch", async () => {
    const stream = fedStream();
    const { client } = setup(() => streamResponse(stream));
    const watch = await client.metadata(Pods).watch({}, signal);
    const events = watch[Symbol.asyncIterator]();
    const say = (type: string, kind: string): void =>
      stream.push(`${JSON.stringify({ type, object: { kind, metadata: { name: "a" } } })}\n`);
    for (const [type, kind] of [
      ["ADDED", "PartialObjectMetadata"],
      ["ERROR", "Status"],
    ] as const) {
      say(type, kind);
      expect((await events.next()).value).toMatchObject([{ type, object: { kind } }]);
    }
    say("ADDED", "Pod");
    await expect(events.next()).rejects.toThrow("expected PartialObjectMetadata but got Pod");
  });
});
