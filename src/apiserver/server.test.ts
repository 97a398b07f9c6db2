import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "#api/object.ts";
import { decodeProtobuf, encodeProtobuf } from "#api/proto-codec.ts";
import { neverAborted } from "#base/testing.ts";
import type { AuditEvent } from "./filters/audit.ts";
import { bytesTransport } from "./in-process-transport.ts";
import { configMap, startTestServer, testClient } from "./testing.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

describe("about the server", () => {
  it("machinery/7.1.r1 serves health and version to every user", async () => {
    const { server, bytes: master } = startTestServer();
    const anybody = testClient(bytesTransport(server));
    expect([(await anybody.get("/readyz/ping")).status, (await anybody.get("/api")).status]).toEqual([403, 403]);
    for (const path of ["/healthz", "/livez", "/readyz"]) {
      expect((await anybody.get(path)).body).toBe("ok");
    }
    expect((await anybody.get("/readyz?verbose")).body).toBe(
      "[+]ping ok\n[+]storage ok\n[+]shutdown ok\nreadyz check passed\n",
    );
    expect([(await master.get("/readyz/ping")).body, (await master.get("/healthz/nothing")).status]).toEqual([
      "ok",
      404,
    ]);
    expect((await anybody.get("/version")).body).toMatchObject({ major: "1", minor: "36", gitVersion: "v1.36.4" });
    server.close();
    expect((await anybody.get("/readyz")).status).toBe(500);
  });

  it("machinery/7.1.r2 describes groups, versions and resources", async () => {
    const { bytes } = startTestServer();
    expect((await bytes.get("/api")).body.versions).toEqual(["v1"]);
    const { groups } = (await bytes.get("/apis")).body;
    expect(groups.find(({ name }: { name: string }) => name === "autoscaling")).toEqual({
      name: "autoscaling",
      versions: [
        { groupVersion: "autoscaling/v2", version: "v2" },
        { groupVersion: "autoscaling/v1", version: "v1" },
      ],
      preferredVersion: { groupVersion: "autoscaling/v2", version: "v2" },
    });
    const { resources } = (await bytes.get("/apis/apps/v1")).body;
    expect(resources.find(({ name }: { name: string }) => name === "deployments/scale")).toEqual({
      name: "deployments/scale",
      singularName: "",
      namespaced: true,
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
      verbs: ["get", "patch", "update"],
    });
    expect((await bytes.get("/apis/nothing")).body).toBe("404 page not found\n");
  });

  it("machinery/7.1.r3 returns everything in one document, and 304 while it is unchanged", async () => {
    const { bytes, server } = startTestServer();
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const first = await bytes.get("/apis", { accept });
    expect(first.headers["content-type"]).toBe("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    expect(first.body.items[0].versions[0].freshness).toBe("Current");
    const etag = String(first.headers.etag);
    expect((await bytes.get("/apis", { accept, "if-none-match": etag })).status).toBe(304);
    server.registry.remove("jobs.batch");
    const changed = await bytes.get("/apis", { accept, "if-none-match": etag });
    expect(changed.status).toBe(200);
    expect(JSON.stringify(changed.body)).not.toContain('"jobs"');
  });

  it("machinery/7.1.r21 publishes schemas under URLs that change with them", async () => {
    const { bytes } = startTestServer();
    const { paths } = JSON.parse((await bytes.get("/openapi/v3")).body);
    const url: string = paths["apis/apps/v1"].serverRelativeURL;
    expect(url).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{32}$/);
    const { headers, body } = await bytes.get(url);
    expect(headers["cache-control"]).toBe("public, immutable");
    const schema = body.components.schemas["io.k8s.api.apps.v1.Deployment"];
    expect(schema["x-kubernetes-group-version-kind"]).toEqual([{ group: "apps", kind: "Deployment", version: "v1" }]);
    const names = body.paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"].patch.parameters.map(
      ({ name }: { name: string }) => name,
    );
    expect(names).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
    const text = JSON.stringify(body);
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      expect(Object.hasOwn(body.components.schemas, name)).toBe(true);
    }
  });
});

describe("authentication and authorization", () => {
  const authentication = {
    allowsAnonymous: true,
    staticTokens: new Map([
      ["root", { name: "root", groups: ["system:masters"] }],
      ["alice", { name: "alice", groups: ["devs"] }],
    ]),
  };

  it.each([
    [
      undefined,
      undefined,
      403,
      'User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
    ],
    ["Bearer alice", undefined, 403, 'configmaps is forbidden: User "alice" cannot list resource "configmaps"'],
    ["Bearer nobody", undefined, 401, "Unauthorized"],
    ["Bearer root", undefined, 200, undefined],
    [undefined, { commonName: "carol", organizations: ["system:masters"] }, 200, undefined],
    [undefined, { commonName: "carol", organizations: [] }, 403, 'User "carol" cannot list'],
  ])("answers %s with certificate %j by %d", async (authorization, certificate, status, message) => {
    const { server } = startTestServer({ authentication });
    const client = testClient(bytesTransport(server, certificate === undefined ? {} : { peer: { certificate } }));
    const answer = await client.get(MAPS, authorization === undefined ? {} : { authorization });
    expect(answer.status).toBe(status);
    if (message !== undefined) expect(answer.body.message).toContain(message);
  });

  it("reads the user's UID from the subject of a certificate, and refuses several or an empty one", async () => {
    const whoami = async (uids: readonly string[], gate = true) => {
      const gates = { isEnabled: (name: string) => gate && name === "AllowParsingUserUIDFromCertAuth" };
      const { server } = startTestServer({ authentication, gates });
      const certificate = { commonName: "carol", organizations: [], uids };
      const client = testClient(bytesTransport(server, { peer: { certificate } }));
      const { status, body } = await client.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
      return [status, body.status.userInfo?.uid];
    };
    expect(await whoami(["u-1"])).toEqual([201, "u-1"]);
    expect(await whoami(["u-1"], false)).toEqual([201, undefined]);
    expect(await whoami([])).toEqual([201, undefined]);
    for (const uids of [["a", "b"], [""]]) expect(await whoami(uids)).toEqual([401, undefined]);
    expect(await whoami(["a", "b"], false)).toEqual([201, undefined]);
  });

  it("refuses a client certificate that no CA verifies, unless a token authenticates the user", async () => {
    const { server } = startTestServer({ authentication });
    const client = testClient(bytesTransport(server, { peer: { untrusted: { commonName: "carol" } } }));
    expect((await client.get(MAPS)).status).toBe(401);
    expect((await client.get(MAPS, { authorization: "Bearer root" })).status).toBe(200);
  });

  it("machinery/7.2.r7 answers reviews and stores none", async () => {
    const { bytes, storage } = startTestServer({ authentication });
    const before = storage.revision;
    const token = await bytes.post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "alice" } });
    expect(token.body.status).toMatchObject({
      authenticated: true,
      user: { username: "alice", groups: ["devs", "system:authenticated"] },
    });
    const access = await bytes.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      spec: { user: "alice", resourceAttributes: { verb: "get", resource: "pods" } },
    });
    expect(access.body.status).toEqual({ allowed: false });
    const self = await bytes.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
    expect(self.body.status.userInfo.username).toBe("admin");
    expect(storage.revision).toBe(before);
  });
});

describe("limits", () => {
  it("refuses a pod whose requests are too far apart to be added", async () => {
    const { bytes } = startTestServer();
    const container = (name: string, cpu: string) => ({ name, image: "i", resources: { requests: { cpu } } });
    const { status, body } = await bytes.post("/api/v1/namespaces/default/pods", {
      metadata: { name: "far" },
      spec: {
        resources: { requests: { cpu: "1e20000" } },
        containers: [container("a", "1e20000"), container("b", "1")],
      },
    });
    expect([status, body.message]).toEqual([400, "quantities differ by more than 10000 decimal places"]);
  });

  it("machinery/7.1.r20 refuses bodies beyond 3 MiB, in one piece or streamed", async () => {
    const { bytes, server } = startTestServer();
    const large = new Uint8Array(3 * 1024 * 1024 + 1);
    const { status, body } = await bytes.post(MAPS, large);
    expect([status, body.message]).toEqual([413, "Request entity too large: limit is 3145728"]);
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(64 * 1024);
    }
    const peer = { user: { name: "admin", groups: ["system:masters"] } };
    const request = {
      method: "POST",
      path: MAPS,
      query: "",
      headers: {},
      body: { kind: "stream", chunks: endless() } as const,
      peer,
    };
    expect((await server.handle(request, neverAborted())).status).toBe(413);
  });

  it("refuses an object that etcd would not take", async () => {
    const { bytes } = startTestServer();
    for (const blob of ["x".repeat(1_700_000), "ü".repeat(850_000)]) {
      const revision = { metadata: { name: "big" }, revision: 1, data: { blob } };
      const { status, body } = await bytes.post("/apis/apps/v1/namespaces/default/controllerrevisions", revision);
      expect([status, body.message]).toEqual([500, "etcdserver: request is too large"]);
    }
  });

  it("machinery/7.1.r20 gives up on a body that does not arrive within a minute", async () => {
    const { server, clock } = startTestServer();
    const chunks = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<Uint8Array>>(() => undefined) }),
    };
    const peer = { user: { name: "admin", groups: ["system:masters"] } };
    const pending = server.handle(
      { method: "POST", path: MAPS, query: "", headers: {}, body: { kind: "stream", chunks }, peer },
      neverAborted(),
    );
    await clock.advance(61_000);
    expect((await pending).status).toBe(504);
  });

  it("machinery/7.1.r20 refuses requests beyond the limit, but never those of system:masters", async () => {
    const held = Promise.withResolvers<undefined>();
    const { server } = startTestServer({
      limits: { mutatingInFlightMax: 1 },
      authorizer: { authorize: () => ({ isAllowed: true }) },
      admission: () => [{ name: "Slow", handles: () => true, admit: () => held.promise }],
    });
    const anybody = testClient(bytesTransport(server, { peer: { user: { name: "a" } } }));
    const master = testClient(bytesTransport(server, { peer: { user: { name: "m", groups: ["system:masters"] } } }));
    const first = anybody.post(MAPS, configMap("a"));
    const second = await anybody.post(MAPS, configMap("b"));
    expect([second.status, second.headers["retry-after"], second.body]).toEqual([
      429,
      "1",
      "Too many requests, please try again later.\n",
    ]);
    const third = master.post(MAPS, configMap("c"));
    held.resolve(undefined);
    expect([(await first).status, (await third).status]).toEqual([201, 201]);
  });
});

describe("content types", () => {
  it("machinery/7.1.r11 reads protobuf and YAML, and answers in the requested format", async () => {
    const { bytes } = startTestServer();
    const protobuf = "application/vnd.kubernetes.protobuf";
    const object = configMap("p", { a: "1" });
    const created = await bytes.post(MAPS, encodeProtobuf(object), {
      "content-type": protobuf,
      accept: `${protobuf},application/json`,
    });
    expect([created.status, created.body.data]).toEqual([201, { a: "1" }]);
    const yaml = "metadata:\n  name: yml\ndata:\n  a: b\n";
    expect((await bytes.post(MAPS, yaml, { "content-type": "application/yaml" })).body.data).toEqual({ a: "b" });
    expect((await bytes.get(`${MAPS}/yml`, { accept: "application/yaml" })).body).toContain(
      "data:\n  a: b\nkind: ConfigMap\n",
    );
    const { body } = await bytes.send("GET", `${MAPS}/p`, undefined, { accept: protobuf });
    if (body.kind !== "bytes") throw new Error("not bytes");
    expect((decodeProtobuf(body.bytes) as KubeObject & { data: unknown }).data).toEqual({ a: "1" });
    expect((await bytes.post(MAPS, "x", { "content-type": "text/plain" })).status).toBe(415);
  });

  it("indents JSON for curl and on request", async () => {
    const { bytes } = startTestServer();
    for (const [path, headers] of [
      ["/api/v1/namespaces/default?pretty=true", {}],
      ["/api/v1/namespaces/default", { "user-agent": "curl/8" }],
      ["/api/v1/namespaces/default", { accept: "application/json;pretty=1" }],
    ] as const) {
      const { body } = await bytes.send("GET", path, undefined, headers);
      if (body.kind !== "bytes") throw new Error("not bytes");
      expect(new TextDecoder().decode(body.bytes)).toContain('\n  "metadata": {\n');
    }
  });
});

describe("the rest", () => {
  it("machinery/7.5.r1 starts with four namespaces", async () => {
    const { bytes } = startTestServer();
    const { items } = (await bytes.get("/api/v1/namespaces")).body;
    expect(
      items.map(({ metadata, status }: { metadata: { name: string }; status: { phase: string } }) => [
        metadata.name,
        status.phase,
      ]),
    ).toEqual([
      ["default", "Active"],
      ["kube-node-lease", "Active"],
      ["kube-public", "Active"],
      ["kube-system", "Active"],
    ]);
  });

  it("machinery/7.2.r6 serves events in both groups as one, for an hour after their last write", async () => {
    const { bytes, clock } = startTestServer();
    const served = [
      ...["configmaps", "secrets", "endpoints", "events", "limitranges", "podtemplates"].map(
        (name) => `/api/v1/${name}`,
      ),
      ...[
        "apps/v1/controllerrevisions",
        "coordination.k8s.io/v1/leases",
        "discovery.k8s.io/v1/endpointslices",
        "events.k8s.io/v1/events",
      ],
      ...["clusterroles", "roles"].map((name) => `rbac.authorization.k8s.io/v1/${name}`),
      ...["storageclasses", "csidrivers", "csinodes", "volumeattributesclasses"].map(
        (name) => `storage.k8s.io/v1/${name}`,
      ),
      ...["ipaddresses", "ingressclasses", "networkpolicies"].map((name) => `networking.k8s.io/v1/${name}`),
      ...["resourceslices", "deviceclasses", "resourceclaimtemplates"].map((name) => `resource.k8s.io/v1/${name}`),
      ...["scheduling.k8s.io/v1/priorityclasses", "node.k8s.io/v1/runtimeclasses"],
      ...["validatingwebhookconfigurations", "mutatingwebhookconfigurations", "validatingadmissionpolicybindings"].map(
        (name) => `admissionregistration.k8s.io/v1/${name}`,
      ),
    ].map((path) => (path.startsWith("/") ? path : `/apis/${path}`));
    for (const path of served) {
      const { status, body } = await bytes.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect((await bytes.watch(`${path}?watch=1&resourceVersion=${body.metadata.resourceVersion}`)).status).toBe(200);
    }
    const events = "/api/v1/namespaces/default/events";
    const event = (name: string): unknown => ({
      metadata: { name },
      involvedObject: { kind: "Pod", name: "p", namespace: "default" },
      reason: "Because",
      message: "text",
      type: "Normal",
    });
    await bytes.post(events, event("a"));
    await bytes.post(events, event("b"));
    const { body } = await bytes.get("/apis/events.k8s.io/v1/namespaces/default/events/a");
    expect(body).toMatchObject({ apiVersion: "events.k8s.io/v1", regarding: { name: "p" }, note: "text" });
    const watch = await bytes.watch(
      `${events}?watch=1&timeoutSeconds=20000&resourceVersion=${body.metadata.resourceVersion}`,
    );
    await clock.advance(40 * 60_000);
    await bytes.patch(`${events}/b`, "merge", { count: 2 });
    await clock.advance(21 * 60_000);
    expect(
      (await bytes.get(events)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ).toEqual(["b"]);
    await clock.advance(60 * 60_000);
    expect((await bytes.get(events)).body.items).toEqual([]);
    expect(watch.summary).toEqual(["ADDED b", "MODIFIED b", "DELETED a", "DELETED b"]);
  });

  it("sends every request to the auditor", async () => {
    const seen: AuditEvent[] = [];
    const { bytes } = startTestServer({ audit: { record: (event) => seen.push(event) } });
    const answer = await bytes.post(MAPS, configMap("a"));
    await bytes.get(`${MAPS}/nope`);
    expect(seen.map(({ info, user, response }) => [info.verb, user.name, response.status])).toEqual([
      ["create", "admin", 201],
      ["get", "admin", 404],
    ]);
    expect(answer.headers["audit-id"]).toBe(seen[0]?.id);
  });

  it("warns about deprecated kinds", async () => {
    const { bytes } = startTestServer();
    const { headers } = await bytes.get("/api/v1/namespaces/default/endpoints");
    expect(headers.warning).toEqual([
      '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
    ]);
  });

  it("ends the watches of a removed kind", async () => {
    const { bytes, server, clock } = startTestServer();
    const watch = await bytes.watch(`${MAPS}?watch=1`);
    server.registry.remove("configmaps");
    await clock.advance(0);
    expect(watch.isEnded).toBe(true);
    expect((await bytes.get(MAPS)).status).toBe(404);
  });

  it("answers arbitrary requests without failing", async () => {
    const { bytes, direct } = startTestServer();
    await bytes.post(MAPS, configMap("a", { v: "1" }));
    const path = fc.oneof(
      fc.constantFrom(
        MAPS,
        `${MAPS}/a`,
        `${MAPS}/a/status`,
        "/api/v1/pods",
        "/apis/apps/v1/namespaces/default/deployments",
        "/apis",
        "/openapi/v3/x",
        "/api/v1/namespaces/default",
      ),
      fc.webPath(),
    );
    const query = fc.oneof(
      fc.constantFrom("", "limit=1", "watch=0", "resourceVersion=1&limit=2", "fieldManager=x&force=true", "dryRun=All"),
      fc.webQueryParameters(),
    );
    const type = fc.constantFrom(
      "application/json",
      "application/yaml",
      "application/vnd.kubernetes.protobuf",
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/strategic-merge-patch+json",
      "application/apply-patch+yaml",
    );
    const body = fc.oneof(
      fc.json(),
      fc.string(),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)),
      fc.constantFrom(
        '{"metadata":{"name":"a"}}',
        '{"data":{"__proto__":{"x":1}}}',
        '[{"op":"remove","path":"/metadata"}]',
        undefined,
      ),
    );
    const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "WEIRD");
    await fc.assert(
      fc.asyncProperty(method, path, query, type, body, async (verb, target, text, contentType, content) => {
        for (const client of [bytes, direct]) {
          const { status } = await client.request(verb, `${target}?${text}`, content, { "content-type": contentType });
          expect(status).toBeGreaterThanOrEqual(200);
          expect([500, 501, 502, 503].includes(status) && verb !== "PATCH").toBe(false);
        }
      }),
      { numRuns: 600 },
    );
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});
