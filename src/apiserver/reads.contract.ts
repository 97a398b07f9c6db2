// The contract of reads, over each transport.

import { describe, expect, it } from "vitest";
import { configMap, type TestClient, type TestServer, type TestSubject } from "./testing.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

export function describeReads(subject: TestSubject): void {
  const start = async (...names: string[]): Promise<TestServer & { client: TestClient }> => {
    const server = await subject.start();
    for (const each of names) await server.client.post(MAPS, configMap(each, { v: "1" }, { app: each }));
    return server;
  };
  const namesOf = (answer: { body: { items: { metadata: { name: string } }[] } }): string[] =>
    answer.body.items.map(({ metadata }) => metadata.name);

  describe(`${subject.name}: get and list`, () => {
    it("answers 404 with a Status that names the object", async () => {
      const { client } = await start();
      const { status, body } = await client.get(`${MAPS}/nope`);
      expect(status).toBe(404);
      expect(body).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: 'configmaps "nope" not found',
        reason: "NotFound",
        details: { name: "nope", kind: "configmaps" },
        code: 404,
      });
    });

    it.each([
      ["GET", "/api/v1/foo", 404],
      ["GET", "/api/v1/pods/foo", 404],
      ["POST", "/api/v1/pods", 405],
      ["DELETE", "/api/v1/namespaces", 405],
      ["PUT", MAPS, 405],
      ["GET", "/api/v1/namespaces/default/nodes", 404],
      ["GET", `${MAPS}/x/foo`, 404],
      ["GET", "/api/v1/namespaces/default/pods/x/binding", 405],
      ["GET", "/apis/apps/v2/deployments", 404],
      ["GET", "/nothing", 404],
      ["HEAD", `${MAPS}/x`, 405],
    ])("routes %s %s to %d", async (method, path, status) => {
      const { client } = await start();
      expect((await client.request(method, path)).status).toBe(status);
    });

    it("machinery/7.1.r6 pages through one snapshot during writes", async () => {
      const { client } = await start("a", "b", "c", "d", "e");
      const first = await client.get(`${MAPS}?limit=2`);
      expect(namesOf(first)).toEqual(["a", "b"]);
      expect(first.body.metadata.remainingItemCount).toBe(3);
      await client.delete(`${MAPS}/d`);
      await client.post(MAPS, configMap("bb"));
      const second = await client.get(`${MAPS}?limit=2&continue=${first.body.metadata.continue}`);
      expect(namesOf(second)).toEqual(["c", "d"]);
      expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
      const third = await client.get(`${MAPS}?limit=2&continue=${second.body.metadata.continue}`);
      expect(namesOf(third)).toEqual(["e"]);
      expect(third.body.metadata.continue).toBeUndefined();
    });

    it("machinery/7.1.r6 continues in the whole collection, although a field selects one namespace", async () => {
      const { client } = await start("a", "b");
      const wide = "/api/v1/configmaps?limit=1&fieldSelector=metadata.namespace%3Ddefault";
      const first = await client.get(wide);
      expect(namesOf(first)).toEqual(["a"]);
      // The token means "after a", which is before the whole namespace.
      expect(namesOf(await client.get(`${wide}&continue=${first.body.metadata.continue}`))).toEqual(["a"]);
    });

    it("machinery/7.1.r6 gives no remaining count with a selector", async () => {
      const { client } = await start("a", "b", "c");
      const { body } = await client.get(`${MAPS}?limit=1&labelSelector=app`);
      expect(typeof body.metadata.continue).toBe("string");
      expect(body.metadata.remainingItemCount).toBeUndefined();
    });

    it("machinery/7.1.r6 answers 410 for an expired token, with a token to continue", async () => {
      const { client, storage } = await start("a", "b", "c");
      const first = await client.get(`${MAPS}?limit=1`);
      await client.post(MAPS, configMap("d"));
      storage.compact(storage.revision);
      const expired = await client.get(`${MAPS}?limit=1&continue=${first.body.metadata.continue}`);
      expect(expired.status).toBe(410);
      expect(expired.body.reason).toBe("Expired");
      const rest = await client.get(`${MAPS}?continue=${expired.body.metadata.continue}`);
      expect(namesOf(rest)).toEqual(["b", "c", "d"]);
    });

    it("machinery/7.1.r6 reads at an exact version, and at one not older than given", async () => {
      const { client, storage } = await start("a");
      const at = storage.revision;
      await client.post(MAPS, configMap("b"));
      expect(namesOf(await client.get(`${MAPS}?resourceVersion=${at}&resourceVersionMatch=Exact`))).toEqual(["a"]);
      expect(namesOf(await client.get(`${MAPS}?resourceVersion=${at}&resourceVersionMatch=NotOlderThan`))).toEqual([
        "a",
        "b",
      ]);
      expect(namesOf(await client.get(`${MAPS}?resourceVersion=${at}&limit=5`))).toEqual(["a"]);
      expect(namesOf(await client.get(`${MAPS}?resourceVersion=0&limit=1`))).toEqual(["a", "b"]);
    });

    it("machinery/7.1.r6 waits for a future version, then answers 504 with the cause", async () => {
      const { client, clock, storage } = await start("a");
      const pending = client.get(`${MAPS}?resourceVersion=${storage.revision + 1}&resourceVersionMatch=NotOlderThan`);
      await clock.advance(1_000);
      await client.post(MAPS, configMap("b"));
      await clock.advance(200);
      expect(namesOf(await pending)).toEqual(["a", "b"]);
      const tooFar = client.get(`${MAPS}?resourceVersion=999&resourceVersionMatch=NotOlderThan`);
      await clock.advance(4_000);
      const { status, body, headers } = await tooFar;
      expect(status).toBe(504);
      expect(body.details.causes).toEqual([
        { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
      ]);
      expect(headers["retry-after"]).toBe("1");
    });

    it.each([
      ["resourceVersionMatch=Exact", 422, "resourceVersionMatch is forbidden unless resourceVersion is provided"],
      [
        "resourceVersion=0&resourceVersionMatch=Exact",
        422,
        'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ],
      ["resourceVersion=1&resourceVersionMatch=Foo", 422, 'Unsupported value: "Foo"'],
      ["sendInitialEvents=true", 422, "sendInitialEvents is forbidden for list"],
      ["resourceVersion=abc", 400, 'invalid resource version: resourceVersion: Invalid value: "abc"'],
      ["limit=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
      ["continue=%20", 400, "invalid continue token: continue key is not valid"],
      ["labelSelector=a%20b", 400, "found 'b', expected: in, notin, =, ==, !=, gt, lt"],
      ["fieldSelector=foo=bar", 400, '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"'],
      [
        "watch=1&resourceVersionMatch=NotOlderThan",
        422,
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ],
      [
        "watch=1&sendInitialEvents=true",
        422,
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
      ],
    ])("refuses a list with ?%s", async (query, status, message) => {
      const { client } = await start();
      const answer = await client.get(`${MAPS}?${query}`);
      expect(answer.status).toBe(status);
      expect(answer.body.message).toContain(message);
    });

    it.each([
      ["labelSelector=app%3Da", ["a"]],
      ["labelSelector=app%20in%20(a,c)", ["a", "c"]],
      ["labelSelector=!app", []],
      ["labelSelector=app!%3Da", ["b", "c"]],
      ["fieldSelector=metadata.name%3Db", ["b"]],
      ["fieldSelector=metadata.name!%3Db", ["a", "c"]],
      ["fieldSelector=metadata.namespace%3Dother", []],
    ])("machinery/7.1.r10 selects by ?%s", async (query, expected) => {
      const { client } = await start("a", "b", "c");
      const found = namesOf(await client.get(`/api/v1/configmaps?${query}`));
      expect(found.filter((name) => !name.startsWith("kube-apiserver-"))).toEqual(expected);
    });

    it.each([
      [
        "/api/v1/pods",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
      ],
      ["/api/v1/nodes", "spec.unschedulable"],
      [
        "/api/v1/events",
        ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map(
          (field) => `involvedObject.${field}`,
        ),
        "reason",
        "reportingComponent",
        "source",
        "type",
      ],
      ["/apis/events.k8s.io/v1/events", "regarding.name", "regarding.kind", "reportingController", "reason", "type"],
      ["/api/v1/secrets", "type", "metadata.namespace"],
      ["/api/v1/namespaces", "status.phase"],
      ["/api/v1/services", "spec.clusterIP", "spec.type"],
      ["/apis/batch/v1/jobs", "status.successful"],
      ["/api/v1/replicationcontrollers", "status.replicas"],
      ["/apis/certificates.k8s.io/v1/certificatesigningrequests", "spec.signerName"],
      ["/apis/resource.k8s.io/v1/resourceslices", "spec.nodeName", "spec.driver"],
    ])("machinery/7.1.r9 selects %s by its fields and no others", async (path, ...fields) => {
      const { client } = await start();
      for (const field of ["metadata.name", ...fields]) {
        for (const operator of ["=", "==", "!="]) {
          const { status } = await client.get(`${path}?fieldSelector=${encodeURIComponent(`${field}${operator}x`)}`);
          expect([field, operator, status]).toEqual([field, operator, 200]);
        }
      }
      const refused = await client.get(`${path}?fieldSelector=foo%3Dx`);
      expect(refused.status).toBe(400);
      expect(refused.body.message).toContain("field label");
    });

    it("machinery/7.1.r9 reads fields from the stored form", async () => {
      const { client } = await start();
      await client.post("/api/v1/nodes", { metadata: { name: "a" }, spec: { unschedulable: true } });
      await client.post("/api/v1/nodes", { metadata: { name: "b" } });
      expect(namesOf(await client.get("/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue"))).toEqual(["a"]);
      expect(namesOf(await client.get("/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse"))).toEqual(["b"]);
    });

    it("machinery/7.1.r13 returns only metadata on request", async () => {
      const { client } = await start("a");
      const one = await client.get(`${MAPS}/a`, {
        accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
      });
      expect(Object.keys(one.body).sort()).toEqual(["apiVersion", "kind", "metadata"]);
      const accept =
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
      const many = await client.get(MAPS, { accept });
      expect(many.body.kind).toBe("PartialObjectMetadataList");
      expect(many.body.items[0].kind).toBe("PartialObjectMetadata");
      const wrong = await client.get(MAPS, { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" });
      expect(wrong.status).toBe(406);
      expect(wrong.body.message).toBe(
        "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
      );
    });

    it("machinery/7.1.r12 returns a table with the objects in the requested form", async () => {
      const { client } = await start("a");
      const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
      const table = (await client.get(MAPS, { accept })).body;
      expect(table.kind).toBe("Table");
      expect(table.rows[0].cells[0]).toBe("a");
      expect(table.rows[0].object.kind).toBe("PartialObjectMetadata");
      expect((await client.get(`${MAPS}?includeObject=Object`, { accept })).body.rows[0].object.kind).toBe("ConfigMap");
      expect((await client.get(`${MAPS}?includeObject=None`, { accept })).body.rows[0].object).toBeNull();
      expect((await client.get(`${MAPS}?includeObject=Foo`, { accept })).status).toBe(400);
    });

    it.each([
      ["text/html", 406, "406: Not Acceptable"],
      ["application/json;as=Foo;g=meta.k8s.io;v=v1", 406, "only the following media types are accepted"],
      ["application/json;as=Table;g=meta.k8s.io;v=v2", 406, "only the following media types are accepted"],
      ["application/json;stream=foo", 406, "only the following media types are accepted"],
    ])("machinery/7.1.r11 refuses Accept %s", async (accept, status, message) => {
      const { client } = await start("a");
      const answer = await client.get(`${MAPS}/a`, { accept });
      expect(answer.status).toBe(status);
      expect(answer.body.message).toContain(message);
    });
  });
}
