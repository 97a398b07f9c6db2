// Custom resource behaviour that cannot be compared with a real server: times on the virtual clock, watches, restarts,
// instances with finalizers, budgets.

import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { type Storage, StorageWriteFailed, type Table } from "../storage/storage.ts";
import { startTestServer, type TestClient, type TestServer } from "../testing.ts";

type Json = Record<string, unknown>;

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAME = "widgets.example.com";
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
const FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

const SPEC = { type: "object", properties: { a: { type: "string" }, n: { type: "integer", default: 1 } } };

const definition = (spec: Json = SPEC, more: Json = {}, ofVersion: Json = {}): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: NAME },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", description: "A widget.", properties: { spec } } },
        ...ofVersion,
      },
    ],
    ...more,
  },
});

const widget = (name: string, spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, ...metadata },
  spec,
});

async function started(
  transport: "bytes" | "direct",
  crd: Json = definition(),
): Promise<TestServer & { client: TestClient }> {
  const server = startTestServer();
  const client = server[transport];
  const { status, body } = await client.post(DEFINITIONS, crd);
  expect(body.message).toBeUndefined();
  expect(status).toBe(201);
  await server.clock.advance(0);
  return { ...server, client };
}

for (const transport of ["bytes", "direct"] as const) {
  describe(`${transport}: definitions`, () => {
    it("machinery/7.2.r8 are established on the injected clock, and served at once", async () => {
      const { client } = await started(transport);
      const { body } = await client.get(`${DEFINITIONS}/${NAME}`);
      expect(body.status.acceptedNames).toEqual(body.spec.names);
      expect(body.status.storedVersions).toEqual(["v1"]);
      expect(body.status.conditions).toEqual([
        {
          type: "NamesAccepted",
          status: "True",
          reason: "NoConflicts",
          message: "no conflicts found",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
        {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ]);
      const groups = await client.get("/apis");
      expect(groups.body.groups.some(({ name }: { name: string }) => name === "example.com")).toBe(true);
      const openApi = await client.get("/openapi/v3/apis/example.com/v1");
      const schema = openApi.body.components.schemas["com.example.v1.Widget"];
      expect(schema.description).toBe("A widget.");
      expect(Object.keys(schema.properties).sort()).toEqual(["apiVersion", "kind", "metadata", "spec"]);
    });

    it("machinery/7.2.r8 are no longer served at once after deletion", async () => {
      const { client, clock } = await started(transport);
      await client.post(WIDGETS, widget("a"));
      await client.delete(`${DEFINITIONS}/${NAME}`);
      await clock.advance(0);
      expect((await client.get(`${DEFINITIONS}/${NAME}`)).status).toBe(404);
      expect((await client.get(WIDGETS)).status).toBe(404);
      expect((await client.get("/openapi/v3/apis/example.com/v1")).status).toBe(404);
      const groups = await client.get("/apis");
      expect(groups.body.groups.some(({ name }: { name: string }) => name === "example.com")).toBe(false);
      // The same name can be defined again, and no old instances remain.
      await client.post(DEFINITIONS, definition());
      await clock.advance(0);
      expect((await client.get(WIDGETS)).body.items).toEqual([]);
    });

    it("machinery/7.2.r8 have new names accepted while being deleted", async () => {
      const { client, clock } = await started(transport);
      await client.patch(`${DEFINITIONS}/${NAME}`, "merge", { metadata: { finalizers: ["example.com/hold"] } });
      await client.delete(`${DEFINITIONS}/${NAME}`);
      await clock.advance(0);
      await client.patch(`${DEFINITIONS}/${NAME}`, "merge", { spec: { names: { shortNames: ["wg"] } } });
      await clock.advance(0);
      const { body } = await client.get(`${DEFINITIONS}/${NAME}`);
      expect(body.metadata.finalizers).toEqual(["example.com/hold"]);
      expect(body.status.acceptedNames).toMatchObject({ plural: "widgets", shortNames: ["wg"] });
    });

    it("machinery/7.2.r8 wait for instances with finalizers, and refuse new ones meanwhile", async () => {
      const { client, clock } = await started(transport);
      await client.post(WIDGETS, widget("a", {}, { finalizers: ["example.com/hold"] }));
      await client.delete(`${DEFINITIONS}/${NAME}`);
      await clock.advance(6_000);
      const { body } = await client.get(`${DEFINITIONS}/${NAME}`);
      expect(body.metadata.finalizers).toEqual([FINALIZER]);
      expect(body.status.conditions.at(-1)).toMatchObject({
        type: "Terminating",
        status: "True",
        reason: "InstanceDeletionInProgress",
      });
      const refused = await client.post(WIDGETS, widget("b"));
      expect(refused.status).toBe(403);
      expect(refused.body.message).toBe(
        'widgets.example.com "b" is forbidden: create not allowed while custom resource definition is terminating',
      );
      await clock.advance(60_000);
      const stuck = await client.get(`${DEFINITIONS}/${NAME}`);
      expect(stuck.body.status.conditions.at(-1).type).toBe("Terminating");
      await client.patch(`${WIDGETS}/a`, "merge", { metadata: { finalizers: null } });
      await clock.advance(6_000);
      expect((await client.get(`${DEFINITIONS}/${NAME}`)).status).toBe(404);
    });

    it("machinery/7.2.r8 with a conversion webhook are refused clearly", async () => {
      const { bytes, direct } = startTestServer();
      const client = transport === "bytes" ? bytes : direct;
      const webhook = { clientConfig: { url: "https://x.example" }, conversionReviewVersions: ["v1"] };
      const crd = definition(SPEC, { conversion: { strategy: "Webhook", webhook } });
      const { status, body } = await client.post(DEFINITIONS, crd);
      expect(status).toBe(422);
      expect(body.message).toContain("conversion webhooks are not supported by this server, use None");
    });

    it("machinery/7.2.r8 get only names that no other definition of the group has", async () => {
      const { client, clock } = await started(transport);
      const other = definition(SPEC, { names: { plural: "others", kind: "Widget", shortNames: ["wd"] } });
      await client.post(DEFINITIONS, { ...other, metadata: { name: "others.example.com" } });
      await clock.advance(0);
      const { body } = await client.get(`${DEFINITIONS}/others.example.com`);
      const [accepted, established] = body.status.conditions;
      expect(accepted).toMatchObject({ status: "False", reason: "ListKindConflict" });
      expect(established).toMatchObject({ status: "False", reason: "NotAccepted" });
      // Once the first definition is deleted, the second gets its names.
      await client.delete(`${DEFINITIONS}/${NAME}`);
      await clock.advance(0);
      const later = await client.get(`${DEFINITIONS}/others.example.com`);
      expect(later.body.status.conditions.map(({ status }: { status: string }) => status)).toEqual(["True", "True"]);
      expect((await client.get("/apis/example.com/v1/namespaces/default/others")).status).toBe(200);
    });

    it("machinery/7.2.r8 in a group of Kubernetes need an approval", async () => {
      const server = startTestServer();
      const client = server[transport];
      const crd = definition(SPEC, { group: "x.k8s.io" });
      const named = (annotations?: Json): Json => ({
        ...crd,
        metadata: { name: "widgets.x.k8s.io", ...(annotations && { annotations }) },
      });
      expect((await client.post(DEFINITIONS, named())).status).toBe(422);
      expect(
        (await client.post(DEFINITIONS, named({ "api-approved.kubernetes.io": "unapproved, a test" }))).status,
      ).toBe(201);
      await server.clock.advance(0);
      const { body } = await client.get(`${DEFINITIONS}/widgets.x.k8s.io`);
      expect(body.status.conditions.at(-1)).toMatchObject({
        type: "KubernetesAPIApprovalPolicyConformant",
        status: "False",
        reason: "UnapprovedAnnotation",
      });
    });
  });

  describe(`${transport}: instances`, () => {
    it("machinery/7.2.r8 are read through the current schema", async () => {
      const { client, clock } = await started(transport);
      await client.post(WIDGETS, widget("a", { a: "x" }));
      const schema = { type: "object", properties: { b: { type: "string", default: "new" }, n: { type: "integer" } } };
      await client.patch(`${DEFINITIONS}/${NAME}`, "json", [
        { op: "replace", path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec", value: schema },
      ]);
      await clock.advance(0);
      expect((await client.get(`${WIDGETS}/a`)).body.spec).toEqual({ b: "new", n: 1 });
      expect((await client.get(WIDGETS)).body.items[0].spec).toEqual({ b: "new", n: 1 });
      const patched = await client.patch(`${WIDGETS}/a`, "merge", { spec: { n: 2 } });
      expect(patched.body.spec).toEqual({ b: "new", n: 2 });
      expect((await client.delete(`${WIDGETS}/a`)).status).toBe(200);
    });

    it("machinery/7.2.r8 end their watches when the definition changes", async () => {
      const { client, clock } = await started(transport);
      const watch = await client.watch(`${WIDGETS}?watch=1`);
      await client.post(WIDGETS, widget("a"));
      await clock.advance(0);
      await client.patch(`${DEFINITIONS}/${NAME}`, "merge", { metadata: { labels: { a: "b" } } });
      await clock.advance(0);
      expect(watch.summary).toEqual(["ADDED a"]);
      expect(watch.isEnded).toBe(false);
      await client.patch(`${DEFINITIONS}/${NAME}`, "merge", { spec: { names: { shortNames: ["wx"] } } });
      await clock.advance(0);
      expect(watch.isEnded).toBe(true);
    });

    it("machinery/7.2.r8 send delete events to watchers before the kind is removed", async () => {
      const { client, clock } = await started(transport);
      await client.post(WIDGETS, widget("a"));
      const watch = await client.watch(`${WIDGETS}?watch=1`);
      await client.delete(`${DEFINITIONS}/${NAME}`);
      await clock.advance(0);
      expect(watch.summary).toEqual(["ADDED a", "DELETED a"]);
      expect(watch.isEnded).toBe(true);
    });

    it("machinery/7.2.r8 stop a rule that exceeds its cost budget, with a clear error", async () => {
      const list = { type: "array", maxItems: 90, items: { type: "integer" } };
      const rule = "self.l.all(x, self.l.all(y, self.l.all(z, x + y + z >= 0)))";
      const spec = { type: "object", properties: { l: list }, "x-kubernetes-validations": [{ rule }] };
      const { client } = await started(transport, definition(spec));
      expect((await client.post(WIDGETS, widget("small", { l: [1, 2, 3] }))).status).toBe(201);
      const { status, body } = await client.post(
        WIDGETS,
        widget("big", { l: Array.from({ length: 90 }, (_, i) => i) }),
      );
      expect(status).toBe(422);
      expect(body.details.causes[0].message).toContain(
        "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost " +
          "exceeds limit for rule",
      );
    });

    it("machinery/7.2.r8 refuse a rule whose quantities are too far apart to be added", async () => {
      const text = { type: "string", maxLength: 20 };
      const rule = "quantity(self.a).add(quantity(self.b)).isGreaterThan(quantity('0'))";
      const spec = { type: "object", properties: { a: text, b: text }, "x-kubernetes-validations": [{ rule }] };
      const { client } = await started(transport, definition(spec));
      expect((await client.post(WIDGETS, widget("near", { a: "1e9000", b: "1" }))).status).toBe(201);
      for (const a of ["1e20000", "1e2000000000"]) {
        const { status, body } = await client.post(WIDGETS, widget("far", { a, b: "1" }));
        expect(status).toBe(422);
        expect(body.details.causes[0].message).toContain("quantities differ by more than 10000 decimal places");
      }
    });

    it("machinery/7.2.r8 warn about a deprecated version", async () => {
      const { client } = await started(transport, definition(SPEC, {}, { deprecated: true }));
      const { headers } = await client.get(WIDGETS);
      expect(String(headers.warning)).toContain("example.com/v1 Widget is deprecated");
    });
  });
}

describe("custom resources over a restart", () => {
  it("machinery/7.2.r8 are served from the first request on", async () => {
    let storage: MemoryStorage | undefined;
    const first = startTestServer({
      openStorage: (clock) => {
        storage = new MemoryStorage({ clock });
        return storage;
      },
    });
    await first.bytes.post(DEFINITIONS, definition());
    await first.clock.advance(0);
    await first.bytes.post(WIDGETS, widget("a", { a: "x" }));
    first.server.close();
    const second = startTestServer({ openStorage: () => storage as MemoryStorage });
    const { status, body } = await second.bytes.get(`${WIDGETS}/a`);
    expect(status).toBe(200);
    expect(body.spec).toEqual({ a: "x", n: 1 });
  });
});

/** A table of definitions that accepts some updates, then refuses some. */
function failingStorage(storage: Storage, failures: { taken: number; refused: number }): Storage {
  const failing = (table: Table): Table => ({
    get compactedRevision() {
      return table.compactedRevision;
    },
    get size() {
      return table.size;
    },
    get: (key) => table.get(key),
    scan: (query) => table.scan(query),
    count: (query) => table.count(query),
    create: (key, build) => table.create(key, build),
    update(expected, build) {
      if (failures.taken-- <= 0 && failures.refused-- > 0) throw new StorageWriteFailed("the disk is full");
      return table.update(expected, build);
    },
    delete: (expected, build) => table.delete(expected, build),
    since: (revision) => table.since(revision),
    subscribe: (listener) => table.subscribe(listener),
  });
  return {
    get revision() {
      return storage.revision;
    },
    table: (name) =>
      name === "customresourcedefinitions.apiextensions.k8s.io" ? failing(storage.table(name)) : storage.table(name),
    compact: (revision) => storage.compact(revision),
    close: () => storage.close(),
  };
}

describe("custom resources on a store that fails", () => {
  it("machinery/7.2.r8 are established and cleaned up once it accepts writes again", async () => {
    const failures = { taken: 0, refused: 4 };
    const { bytes: client, clock } = startTestServer({
      openStorage: (given) => failingStorage(new MemoryStorage({ clock: given }), failures),
    });
    expect((await client.post(DEFINITIONS, definition())).status).toBe(201);
    await clock.advance(0);
    expect((await client.get(WIDGETS)).status).toBe(404);
    await clock.advance(1_000);
    expect((await client.get(WIDGETS)).status).toBe(200);
    Object.assign(failures, { taken: 1, refused: 4 });
    expect((await client.delete(`${DEFINITIONS}/${NAME}`)).status).toBe(200);
    await clock.advance(0);
    expect((await client.get(`${DEFINITIONS}/${NAME}`)).status).toBe(200);
    await clock.advance(1_000);
    expect((await client.get(`${DEFINITIONS}/${NAME}`)).status).toBe(404);
  });
});
