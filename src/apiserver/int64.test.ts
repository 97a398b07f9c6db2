// Integers beyond 2^53 through the whole server, over both transports. test/judge/int64-cases.ts and
// int64-custom-cases.ts compare with a real server.

import { describe, expect, it } from "vitest";
import { INT64_MAX, INT64_MIN } from "#api/int64.ts";
import type { KubeObject } from "#api/object.ts";
import { decodeProtobuf, encodeProtobuf } from "#api/proto-codec.ts";
import { inProcess, type TestClient, type TestSubject } from "./testing.ts";

const PODS = "/api/v1/namespaces/default/pods";
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";

const pod = (name: string, seconds: unknown): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      containers: [{ name: "a", image: "a" }],
      tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: seconds }],
    },
  }) as KubeObject;

const widget = (name: string, spec: unknown): object => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec,
});

async function startWithWidgets(start: TestSubject["start"]): Promise<TestClient> {
  const { client, clock } = await start();
  const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const set = { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" };
  const spec = { type: "object", properties: { count: { type: "integer", format: "int64" }, free, set } };
  await client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  });
  await clock.advance(1000);
  return client;
}

describe.each([inProcess("bytes"), inProcess("direct")])("int64 over $name", ({ start }) => {
  it("survives a create, a read, a list, a watch and a patch", async () => {
    const { client, clock } = await start();
    const watch = await client.watch(`${PODS}?watch=true`);
    const seconds = (body: { spec: { tolerations: { tolerationSeconds: unknown }[] } }): unknown =>
      body.spec.tolerations[0]?.tolerationSeconds;
    expect(seconds((await client.post(PODS, pod("a", INT64_MAX))).body)).toBe(INT64_MAX);
    expect(seconds((await client.get(`${PODS}/a`)).body)).toBe(INT64_MAX);
    expect(seconds((await client.get(PODS)).body.items[0])).toBe(INT64_MAX);
    expect(seconds((await client.patch(`${PODS}/a`, "merge", { metadata: { labels: { a: "b" } } })).body)).toBe(
      INT64_MAX,
    );
    await clock.advance(1);
    expect(watch.events.map(({ object }) => seconds(object))).toEqual([INT64_MAX, INT64_MAX]);
    watch.leave();
  });

  it("is read from protobuf and written as protobuf", async () => {
    const { client } = await start();
    const type = "application/vnd.kubernetes.protobuf";
    const { body } = await client.post(PODS, encodeProtobuf(pod("a", INT64_MIN)), { "content-type": type });
    expect(body.spec.tolerations[0].tolerationSeconds).toBe(INT64_MIN);
    const answer = await client.send("GET", `${PODS}/a`, undefined, { accept: type });
    if (answer.body.kind !== "bytes") return; // A direct transport passes the object itself.
    expect(decodeProtobuf(answer.body.bytes)).toMatchObject({
      spec: { tolerations: [{ tolerationSeconds: INT64_MIN }] },
    });
  });

  it("survives in a custom resource with any schema", async () => {
    const client = await startWithWidgets(start);
    const spec = { count: INT64_MAX, free: { a: [INT64_MIN] } };
    const { status, body } = await client.post(WIDGETS, widget("a", spec));
    expect([status, body.spec]).toEqual([201, spec]);
    const read = await client.get(`${WIDGETS}/a`);
    expect(read.body.spec).toEqual(spec);
    // Writing the same object again changes nothing.
    const again = await client.put(`${WIDGETS}/a`, read.body);
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  it("is a number if possible, in whichever form the caller passes it", async () => {
    const client = await startWithWidgets(start);
    expect((await client.post(PODS, pod("a", 5n))).body.spec.tolerations[0].tolerationSeconds).toBe(5);
    const { body } = await client.post(WIDGETS, widget("a", { count: 5n, free: { a: 2n ** 64n } }));
    expect(body.spec).toEqual({ count: 5, free: { a: 2 ** 64 } });
    expect((await client.patch(`${WIDGETS}/a`, "merge", { spec: { count: 6n } })).body.spec.count).toBe(6);
  });

  it("is distinguished from its neighbours in managed fields", async () => {
    const client = await startWithWidgets(start);
    const apply = (manager: string, set: readonly unknown[]): ReturnType<TestClient["patch"]> =>
      client.patch(`${WIDGETS}/a?fieldManager=${manager}`, "apply", widget("a", { set }));
    await apply("one", [INT64_MAX, INT64_MAX - 1n]);
    await apply("two", [INT64_MAX, INT64_MIN]);
    expect((await apply("one", [1])).body.spec.set).toEqual([INT64_MAX, INT64_MIN, 1]);
  });
});
