// The contract of writes, over each transport.

import { describe, expect, it } from "vitest";
import { configMap, type TestClient, type TestServer, type TestSubject } from "./testing.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

const deployment = (name: string): unknown => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

export function describeWrites(subject: TestSubject): void {
  const start = async (...names: string[]): Promise<TestServer & { client: TestClient }> => {
    const server = await subject.start();
    for (const each of names) await server.client.post(MAPS, configMap(each, { v: "1" }));
    return server;
  };

  describe(`${subject.name}: create`, () => {
    it("machinery/7.1.r4 sets the fields that only the server sets", async () => {
      const { client, storage } = await start();
      const given = {
        ...configMap("a"),
        metadata: { name: "a", uid: "mine", creationTimestamp: "2000-01-01T00:00:00Z", generation: 7, selfLink: "x" },
      };
      const { status, body } = await client.post(MAPS, given);
      expect(status).toBe(201);
      expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
      expect(body.metadata).toMatchObject({
        name: "a",
        namespace: "default",
        creationTimestamp: "2026-01-01T00:00:00Z",
        resourceVersion: String(storage.revision),
      });
      expect(body.metadata.selfLink).toBeUndefined();
    });

    it("machinery/7.1.r4 generates names, and generates again when one is taken", async () => {
      const { client } = await start();
      const names = new Set<string>();
      for (let i = 0; i < 50; i++) {
        const { body } = await client.post(MAPS, { metadata: { generateName: "web-" } });
        expect(body.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        names.add(body.metadata.name);
      }
      expect(names.size).toBe(50);
      const long = await client.post(MAPS, { metadata: { generateName: "x".repeat(80) } });
      expect(long.body.metadata.name).toHaveLength(63);
    });

    it("machinery/7.1.r4 gives up after eight taken names", async () => {
      const taken = {
        fork: () => taken,
        below: () => 0,
        uint32: () => 0,
        float: () => 0,
        bytes: () => new Uint8Array(16),
        uuid: () => "u",
        shuffle: <T>(items: readonly T[]) => [...items],
      };
      const { client } = await subject.start({ rng: taken });
      await client.post(MAPS, { metadata: { generateName: "web-" } });
      const { status, body } = await client.post(MAPS, { metadata: { generateName: "web-" } });
      expect(status).toBe(409);
      expect(body.reason).toBe("AlreadyExists");
      expect(body.message).toContain("the server was not able to generate a unique name for the object");
      expect(body.details.retryAfterSeconds).toBe(1);
    });

    it.each([
      [{ metadata: { name: "a" } }, 409, 'configmaps "a" already exists'],
      [
        { metadata: { name: "b", namespace: "other" } },
        400,
        "the namespace of the provided object does not match the namespace sent on the request",
      ],
      [{ metadata: {} }, 422, "metadata.name: Required value: name or generateName is required"],
      [{ metadata: { name: "B" } }, 422, 'metadata.name: Invalid value: "B"'],
      [{ kind: "Pod", apiVersion: "v1" }, 400, "converting (v1.Pod) to (core.ConfigMap): unknown conversion"],
      [{ kind: "Foo", apiVersion: "v1" }, 400, 'no kind "Foo" is registered for version "v1"'],
      [
        { metadata: { name: 1 } },
        400,
        "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
      ],
      [
        { metadata: { name: "b" }, data: [1] },
        400,
        "cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string",
      ],
      [{ metadata: { name: "b" }, binaryData: { a: "!!" } }, 400, "illegal base64 data at input byte 0"],
    ])("refuses %j", async (body, status, message) => {
      const { client } = await start("a");
      const answer = await client.post(MAPS, body);
      expect(answer.status).toBe(status);
      expect(answer.body.message).toContain(message);
    });

    it("machinery/7.3.r1 refuses objects in missing or terminating namespaces, and protects the system's namespaces", async () => {
      const { client } = await start();
      const missing = await client.post("/api/v1/namespaces/nope/configmaps", configMap("a"));
      expect([missing.status, missing.body.message]).toEqual([404, 'namespaces "nope" not found']);
      await client.post("/api/v1/namespaces", { metadata: { name: "going" } });
      await client.delete("/api/v1/namespaces/going");
      const going = await client.post("/api/v1/namespaces/going/configmaps", configMap("a"));
      expect(going.status).toBe(403);
      expect(going.body.details.causes).toEqual([
        { reason: "NamespaceTerminating", message: "namespace going is being terminated", field: "metadata.namespace" },
      ]);
      expect((await client.delete("/api/v1/namespaces/default")).status).toBe(403);
    });

    it("machinery/7.1.r16 stores nothing on dry run", async () => {
      const { client, storage } = await start("a");
      const before = storage.revision;
      const { status, body } = await client.post(`${MAPS}?dryRun=All`, configMap("b"));
      expect([status, body.metadata.name, body.metadata.resourceVersion]).toEqual([201, "b", undefined]);
      await client.patch(`${MAPS}/a?dryRun=All`, "merge", { data: { v: "2" } });
      await client.delete(`${MAPS}/a?dryRun=All`);
      await client.delete(`${MAPS}?dryRun=All`);
      expect(storage.revision).toBe(before);
      expect((await client.post(`${MAPS}?dryRun=Some`, configMap("b"))).status).toBe(422);
    });

    it("machinery/7.1.r17 warns in every script, and stores the object unchanged", async () => {
      const { client } = await start();
      const warned = await client.post(MAPS, { metadata: { name: "script", "漢字🚢": 1 } });
      expect([warned.status, [warned.headers.warning].flat()]).toEqual([
        201,
        ['299 - "unknown field \\"metadata.漢字🚢\\""'],
      ]);
      const control = await client.post(MAPS, { metadata: { name: "control", "a\nb": 1 } });
      expect([control.status, control.headers.warning]).toEqual([201, undefined]);
    });

    it("machinery/7.1.r17 names a hundred unknown fields of forty thousand", async () => {
      const { client } = await start();
      const fields = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`x${i}`, 1]));
      const strict = await client.post(`${MAPS}?fieldValidation=Strict`, { metadata: { name: "many" }, ...fields });
      expect(strict.status).toBe(400);
      expect(String(strict.body.message).match(/unknown field/g)).toHaveLength(100);
      const warned = await client.post(MAPS, { metadata: { name: "many" }, ...fields });
      expect([
        warned.status,
        [warned.headers.warning]
          .flat()
          .join(", ")
          .match(/unknown field/g)?.length,
      ]).toEqual([201, 100]);
    });

    it("machinery/7.1.r17 warns about unknown fields, refuses or ignores them", async () => {
      const { client } = await start();
      const body = (each: string): unknown => ({ metadata: { name: each, foo: 1 }, bar: 2 });
      const warned = await client.post(MAPS, body("a"));
      // Clients may join repeated headers.
      expect([warned.headers.warning].flat().join(", ")).toBe(
        '299 - "unknown field \\"metadata.foo\\"", 299 - "unknown field \\"bar\\""',
      );
      expect(warned.body.bar).toBeUndefined();
      const strict = await client.post(`${MAPS}?fieldValidation=Strict`, body("b"));
      expect(strict.body.message).toContain('strict decoding error: unknown field "metadata.foo", unknown field "bar"');
      expect((await client.post(`${MAPS}?fieldValidation=Ignore`, body("c"))).headers.warning).toBeUndefined();
      expect((await client.post(`${MAPS}?fieldValidation=Foo`, body("d"))).status).toBe(422);
    });
  });

  describe(`${subject.name}: update`, () => {
    it("machinery/7.1.r5 refuses a stale version, another uid and another name", async () => {
      const { client } = await start("a");
      const { body } = await client.get(`${MAPS}/a`);
      const changed = { ...body, data: { v: "2" } };
      expect((await client.put(`${MAPS}/a`, changed)).status).toBe(200);
      const stale = await client.put(`${MAPS}/a`, { ...body, data: { v: "3" } });
      expect([stale.status, stale.body.reason]).toEqual([409, "Conflict"]);
      expect(stale.body.message).toContain(
        "the object has been modified; please apply your changes to the latest version and try again",
      );
      const other = await client.put(`${MAPS}/a`, { metadata: { name: "a", uid: "other" } });
      expect(other.status).toBe(409);
      expect(other.body.message).toContain("Precondition failed: UID in precondition: other, UID in object meta: ");
      expect((await client.put(`${MAPS}/a`, configMap("b"))).status).toBe(400);
    });

    it("machinery/7.1.r5 overwrites without a version if the kind allows it", async () => {
      const { client } = await start("a");
      expect((await client.put(`${MAPS}/a`, configMap("a", { v: "9" }))).body.data).toEqual({ v: "9" });
      const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
      expect((await client.put(`${leases}/l`, { metadata: { name: "l" } })).status).toBe(201);
      const unversioned = await client.put(`${leases}/l`, { metadata: { name: "l" }, spec: { holderIdentity: "x" } });
      expect(unversioned.status).toBe(422);
      expect(unversioned.body.message).toContain(
        "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
      );
    });

    it("machinery/7.1.r5 writes nothing when nothing changes", async () => {
      const { client, storage, clock } = await start("a");
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${storage.revision}`);
      const { body } = await client.get(`${MAPS}/a`);
      await clock.advance(10_000);
      const before = storage.revision;
      expect((await client.put(`${MAPS}/a`, body)).body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
      await client.patch(`${MAPS}/a`, "merge", { data: { v: "1" } });
      await client.patch(`${MAPS}/a`, "strategic", {});
      await client.patch(`${MAPS}/a`, "json", []);
      await clock.advance(0);
      expect(storage.revision).toBe(before);
      expect(watch.events).toEqual([]);
    });

    it("machinery/7.4.r1 writes status and spec separately, and counts generations", async () => {
      const { client } = await start();
      await client.post(DEPLOYMENTS, { ...(deployment("d") as object), status: { replicas: 9 } });
      const created = (await client.get(`${DEPLOYMENTS}/d`)).body;
      expect([created.metadata.generation, created.status]).toEqual([1, {}]);
      const ofStatus = await client.patch(`${DEPLOYMENTS}/d/status`, "merge", {
        spec: { replicas: 5 },
        status: { replicas: 3 },
      });
      expect([ofStatus.body.spec.replicas, ofStatus.body.status.replicas, ofStatus.body.metadata.generation]).toEqual([
        1, 3, 1,
      ]);
      const ofSpec = await client.patch(`${DEPLOYMENTS}/d`, "merge", {
        spec: { replicas: 5 },
        status: { replicas: 7 },
      });
      expect([ofSpec.body.spec.replicas, ofSpec.body.status.replicas, ofSpec.body.metadata.generation]).toEqual([
        5, 3, 2,
      ]);
      expect(ofSpec.body.metadata.managedFields.map((entry: { subresource?: string }) => entry.subresource)).toEqual([
        undefined,
        "status",
      ]);
    });

    it.each([
      ["/apis/apps/v1/namespaces/default/deployments", { matchLabels: { app: "a" } }],
      ["/apis/apps/v1/namespaces/default/replicasets", { matchLabels: { app: "a" } }],
      ["/apis/apps/v1/namespaces/default/statefulsets", { matchLabels: { app: "a" } }],
      ["/api/v1/namespaces/default/replicationcontrollers", { app: "a" }],
    ])("machinery/7.2.r3 scales %s, and records the manager", async (path, selector) => {
      const { client } = await start();
      const { spec } = deployment("d") as { spec: object };
      expect((await client.post(path, { metadata: { name: "d" }, spec: { ...spec, selector } })).status).toBe(201);
      const scale = (await client.get(`${path}/d/scale`)).body;
      expect(scale).toMatchObject({
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        spec: { replicas: 1 },
        status: { replicas: 0, selector: "app=a" },
      });
      expect((await client.put(`${path}/d/scale`, { ...scale, spec: { replicas: 4 } })).body.spec).toEqual({
        replicas: 4,
      });
      expect((await client.put(`${path}/d/scale`, { ...scale, spec: { replicas: 6 } })).status).toBe(409);
      expect((await client.patch(`${path}/d/scale`, "merge", { spec: { replicas: -1 } })).status).toBe(422);
      const { body } = await client.get(`${path}/d`);
      expect([body.spec.replicas, body.metadata.generation]).toEqual([4, 2]);
      const entry = { subresource: "scale", fieldsV1: { "f:spec": { "f:replicas": {} } } };
      expect(body.metadata.managedFields[0]).toMatchObject(entry);
    });
  });

  describe(`${subject.name}: patch`, () => {
    it("machinery/7.1.r14 applies JSON, merge and strategic merge patches", async () => {
      const { client } = await start("a");
      await client.post(DEPLOYMENTS, deployment("d"));
      expect((await client.patch(`${MAPS}/a`, "json", [{ op: "add", path: "/data/w", value: "2" }])).body.data).toEqual(
        { v: "1", w: "2" },
      );
      expect((await client.patch(`${MAPS}/a`, "merge", { data: { v: null } })).body.data).toEqual({ w: "2" });
      const patch = {
        spec: {
          template: {
            spec: {
              containers: [
                { name: "c", env: [{ name: "E", value: "1" }] },
                { name: "d", image: "j" },
              ],
            },
          },
        },
      };
      const { body } = await client.patch(`${DEPLOYMENTS}/d`, "strategic", patch);
      expect(body.spec.template.spec.containers.map((c: { name: string; image: string }) => [c.name, c.image])).toEqual(
        [
          ["c", "i"],
          ["d", "j"],
        ],
      );
    });

    it.each([
      ["json", [{ op: "test", path: "/data/v", value: "no" }], 422],
      ["json", {}, 400],
      ["merge", [1], 400],
      ["merge", { metadata: { name: "b" } }, 400],
      ["merge", { metadata: { resourceVersion: "1" } }, 409],
      ["merge", { data: { v: 1 } }, 422],
      ["strategic", { data: { v: 1 } }, 422],
      ["apply", { apiVersion: "v1", kind: "ConfigMap" }, 422],
    ] as const)("machinery/7.1.r14 refuses a %s patch %j with %d", async (type, patch, status) => {
      const { client } = await start("a");
      expect((await client.patch(`${MAPS}/a`, type, patch)).status).toBe(status);
    });

    it("machinery/7.1.r14 refuses unknown patch types", async () => {
      const { client } = await start("a");
      const answer = await client.request("PATCH", `${MAPS}/a`, {}, { "content-type": "application/json" });
      expect([answer.status, answer.body.message]).toEqual([415, "415: Unsupported Media Type"]);
    });

    it("machinery/7.1.r15 creates by apply, reports conflicts and takes over by force", async () => {
      const { client } = await start();
      const wanted = (v: string): unknown => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "s" },
        data: { v },
      });
      expect((await client.patch(`${MAPS}/s?fieldManager=one`, "apply", wanted("1"))).status).toBe(201);
      expect((await client.patch(`${MAPS}/s?fieldManager=one`, "apply", wanted("1"))).status).toBe(200);
      const conflict = await client.patch(`${MAPS}/s?fieldManager=two`, "apply", wanted("2"));
      expect(conflict.status).toBe(409);
      expect(conflict.body.details.causes).toEqual([
        { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.v" },
      ]);
      const forced = await client.patch(`${MAPS}/s?fieldManager=two&force=true`, "apply", wanted("2"));
      expect(forced.body.metadata.managedFields.map(({ manager }: { manager: string }) => manager)).toEqual(["two"]);
      expect((await client.patch(`${MAPS}/s?force=true`, "merge", {})).status).toBe(422);
    });
  });
}
