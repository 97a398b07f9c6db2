// The behaviour of deletes, over each transport.

import { describe, expect, it } from "vitest";
import { configMap, type TestClient, type TestServer, type TestSubject } from "./testing.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";

const withFinalizer = (name: string): unknown => ({ metadata: { name, finalizers: ["example.com/hold"] } });

export function describeDeletes(subject: TestSubject): void {
  const start = async (...names: string[]): Promise<TestServer & { client: TestClient }> => {
    const server = await subject.start();
    for (const each of names) await server.client.post(MAPS, configMap(each, {}, { app: each }));
    return server;
  };

  describe(`${subject.name}: delete`, () => {
    it("machinery/7.1.r18 answers with a Status, or with the object for some kinds", async () => {
      const { client } = await start("a");
      const { body } = await client.get(`${MAPS}/a`);
      expect((await client.delete(`${MAPS}/a`)).body).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "a", kind: "configmaps", uid: body.metadata.uid },
      });
      await client.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "s" } });
      expect((await client.delete("/api/v1/namespaces/default/serviceaccounts/s")).body.kind).toBe("ServiceAccount");
    });

    it.each([
      [{ preconditions: { uid: "other" } }, 409],
      [{ preconditions: { resourceVersion: "1" } }, 409],
      [{ propagationPolicy: "Foo" }, 422],
      [{ propagationPolicy: "Orphan", orphanDependents: true }, 422],
      [{ gracePeriodSeconds: "x" }, 400],
      [{ kind: "Foo" }, 400],
      [{ dryRun: ["Some"] }, 422],
    ])("machinery/7.1.r18 refuses %j with %d", async (options, status) => {
      const { client } = await start("a");
      expect((await client.delete(`${MAPS}/a`, options)).status).toBe(status);
      expect((await client.get(`${MAPS}/a`)).status).toBe(200);
    });

    it("machinery/7.1.r18 keeps an object until its last finalizer is gone", async () => {
      const { client, clock, storage } = await start();
      await client.post(MAPS, withFinalizer("f"));
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${storage.revision}`);
      const deleting = await client.delete(`${MAPS}/f`);
      expect([deleting.status, deleting.body.metadata.deletionGracePeriodSeconds]).toEqual([200, 0]);
      expect(deleting.body.metadata.deletionTimestamp).toBe("2026-01-01T00:00:00Z");
      await clock.advance(5_000);
      expect((await client.delete(`${MAPS}/f`)).body.metadata.deletionTimestamp).toBe("2026-01-01T00:00:00Z");
      const again = await client.post(MAPS, configMap("f"));
      expect([again.status, again.body.message]).toEqual([
        409,
        'object is being deleted: configmaps "f" already exists',
      ]);
      const added = await client.patch(`${MAPS}/f`, "merge", {
        metadata: { finalizers: ["example.com/hold", "example.com/more"] },
      });
      expect(added.status).toBe(422);
      await client.patch(`${MAPS}/f`, "merge", { metadata: { finalizers: null } });
      await clock.advance(0);
      expect((await client.get(`${MAPS}/f`)).status).toBe(404);
      expect(watch.summary).toEqual(["MODIFIED f", "DELETED f"]);
    });

    it.each([
      ["propagationPolicy=Foreground", ["foregroundDeletion"]],
      ["propagationPolicy=Orphan", ["orphan"]],
      ["orphanDependents=true", ["orphan"]],
    ])("machinery/7.1.r18 marks dependents by finalizer for ?%s", async (query, finalizers) => {
      const { client } = await start("a");
      expect((await client.delete(`${MAPS}/a?${query}`)).body.metadata.finalizers).toEqual(finalizers);
      // A later delete may use another policy.
      await client.delete(`${MAPS}/a?propagationPolicy=Background`);
      expect((await client.get(`${MAPS}/a`)).status).toBe(404);
    });

    it("machinery/7.1.r18 orphans by default for replication controllers and jobs", async () => {
      const { client } = await start();
      const template = {
        metadata: { labels: { a: "b" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Always" },
      };
      const controllers = "/api/v1/namespaces/default/replicationcontrollers";
      await client.post(controllers, { metadata: { name: "r" }, spec: { selector: { a: "b" }, template } });
      expect((await client.delete(`${controllers}/r`)).body.metadata.finalizers).toEqual(["orphan"]);
      const jobs = "/apis/batch/v1/namespaces/default/jobs";
      await client.post(jobs, {
        metadata: { name: "j" },
        spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } },
      });
      const deleted = await client.delete(`${jobs}/j`);
      expect(deleted.body.metadata.finalizers).toEqual(["orphan"]);
      expect(String(deleted.headers.warning)).toContain("child pods are preserved by default when jobs are deleted");
    });

    it("machinery/7.1.r18 answers 202 only for orphanDependents=false while the object remains", async () => {
      const { client } = await start("a");
      await client.post(MAPS, withFinalizer("f"));
      expect((await client.delete(`${MAPS}/f`, { orphanDependents: false })).status).toBe(202);
      expect((await client.delete(`${MAPS}/a`, { orphanDependents: false })).status).toBe(200);
    });

    it("machinery/7.1.r18, machinery/7.4.r5 deletes a running pod gracefully, and only shortens the grace period", async () => {
      const { client } = await subject.start();
      await client.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
      await client.post(PODS, {
        metadata: { name: "p" },
        spec: { containers: [{ name: "c", image: "i" }], nodeName: "n" },
      });
      const seconds = async (query: string): Promise<unknown> => {
        const { body } = await client.delete(`${PODS}/p${query}`);
        return [body.metadata.deletionGracePeriodSeconds, body.metadata.generation];
      };
      expect(await seconds("")).toEqual([30, 2]);
      expect(await seconds("?gracePeriodSeconds=60")).toEqual([30, 2]);
      expect(await seconds("?gracePeriodSeconds=10")).toEqual([10, 2]);
      expect((await client.get(`${PODS}/p`)).status).toBe(200);
      await client.delete(`${PODS}/p?gracePeriodSeconds=0`);
      expect((await client.get(`${PODS}/p`)).status).toBe(404);
      for (const [each, spec, status, query, left] of [
        ["unscheduled", {}, "Pending", "", 404],
        ["finished", { nodeName: "n" }, "Succeeded", "", 404],
        ["negative", { nodeName: "n" }, "Running", "?gracePeriodSeconds=-5", 200],
      ] as const) {
        await client.post(PODS, {
          metadata: { name: each },
          spec: { containers: [{ name: "c", image: "i" }], ...spec },
        });
        await client.patch(`${PODS}/${each}/status`, "merge", { status: { phase: status } });
        await client.delete(`${PODS}/${each}${query}`);
        const { status: found, body } = await client.get(`${PODS}/${each}`);
        expect([each, found]).toEqual([each, left]);
        if (found === 200) expect(body.metadata.deletionGracePeriodSeconds).toBe(1);
      }
    });

    it("machinery/7.4.r5 ends a pod whose grace period exceeds every date", async () => {
      const { client } = await subject.start();
      await client.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
      const containers = [{ name: "c", image: "i" }];
      const terminationGracePeriodSeconds = Number.MAX_SAFE_INTEGER;
      await client.post(PODS, {
        metadata: { name: "own" },
        spec: { nodeName: "n", terminationGracePeriodSeconds, containers },
      });
      await client.post(PODS, { metadata: { name: "asked" }, spec: { nodeName: "n", containers } });
      for (const [name, query] of [
        ["own", ""],
        ["asked", `?gracePeriodSeconds=${Number.MAX_SAFE_INTEGER}`],
      ] as const) {
        expect((await client.delete(`${PODS}/${name}${query}`)).status).toBe(200);
        expect((await client.get(PODS)).status).toBe(200);
        expect((await client.delete(`${PODS}/${name}?gracePeriodSeconds=0`)).status).toBe(200);
        expect((await client.get(`${PODS}/${name}`)).status).toBe(404);
      }
    });

    it("machinery/7.2.r2 keeps a namespace until it is finalized", async () => {
      const { client } = await start();
      await client.post("/api/v1/namespaces", { metadata: { name: "n" } });
      const first = await client.delete("/api/v1/namespaces/n");
      expect([first.body.status.phase, first.body.spec.finalizers]).toEqual(["Terminating", ["kubernetes"]]);
      expect((await client.get("/api/v1/namespaces/n")).status).toBe(200);
      await client.put("/api/v1/namespaces/n/finalize", { metadata: { name: "n" }, spec: { finalizers: [] } });
      await client.delete("/api/v1/namespaces/n");
      expect((await client.get("/api/v1/namespaces/n")).status).toBe(404);
    });
  });

  describe(`${subject.name}: delete collection`, () => {
    it("machinery/7.1.r19 deletes the selected objects and answers with them", async () => {
      const { client } = await start("a", "b", "c");
      const { status, body } = await client.delete(`${MAPS}?labelSelector=app%20in%20(a,b)`);
      expect([status, body.kind]).toEqual([200, "ConfigMapList"]);
      expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(["a", "b"]);
      expect((await client.get(MAPS)).body.items).toHaveLength(1);
    });

    it("machinery/7.1.r19 stops at a limit", async () => {
      const { client } = await start("a", "b", "c");
      await client.delete(`${MAPS}?limit=2`);
      expect((await client.get(MAPS)).body.items).toHaveLength(1);
    });

    it("machinery/7.1.r19 leaves objects with finalizers", async () => {
      const { client } = await start("a");
      await client.post(MAPS, withFinalizer("f"));
      await client.delete(MAPS);
      const { items } = (await client.get(MAPS)).body;
      expect(items).toHaveLength(1);
      expect(items[0].metadata.deletionTimestamp).toBeDefined();
    });
  });
}
