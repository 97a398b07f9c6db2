import { describe, expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { bytesTransport } from "./in-process-transport.ts";
import { startTestServer, type TestServer, testClient } from "./testing.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const map = (name: string): object => ({ metadata: { name } });

interface Stage extends TestServer {
  readonly metrics: MetricRegistry;
  /** Counts by "verb scope subresource dry-run code". */
  counts(): Readonly<Record<string, number>>;
}

function start(options: Parameters<typeof startTestServer>[0] = {}): Stage {
  const metrics = new MetricRegistry({ version: "1.36.4" });
  const counts = (): Record<string, number> =>
    Object.fromEntries(
      [...metrics.render().matchAll(/^apiserver_request_total\{(.*)\} (\d+)$/gm)].map(([, labels = "", value]) => {
        const label = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
        const names = ["verb", "scope", "subresource", "dry_run", "code"].map(label);
        return [names.filter((name) => name !== "").join(" "), Number(value)];
      }),
    );
  return { ...startTestServer({ ...options, metrics }), metrics, counts };
}

describe("metrics of requests", () => {
  it("distinguish verbs, scopes, subresources, dry runs and answers", async () => {
    const { bytes, direct, counts } = start();
    await bytes.post(MAPS, map("a"));
    await direct.post(MAPS, map("b"));
    await bytes.post(`${MAPS}?dryRun=All`, map("c"));
    await bytes.post(`${MAPS}?dryRun=Some`, map("c"));
    await bytes.post(MAPS, map("a"));
    await bytes.get(`${MAPS}/a`);
    await direct.get(`${MAPS}/a`);
    await bytes.get(`${MAPS}/none`);
    await bytes.get(`${MAPS}?limit=1&fieldSelector=metadata.name%3Da`);
    await bytes.get("/api/v1/configmaps");
    await bytes.get("/api/v1/namespaces/default/status");
    await bytes.patch(`${MAPS}/a`, "merge", { data: { k: "v" } });
    const apply = { "content-type": "application/apply-patch+yaml" };
    await bytes.request(
      "PATCH",
      `${MAPS}/a?fieldManager=m`,
      { apiVersion: "v1", kind: "ConfigMap", ...map("a") },
      apply,
    );
    await bytes.delete(MAPS);
    expect(counts()).toEqual({
      "POST resource 201": 2,
      "POST resource All 201": 1,
      "POST resource invalid 422": 1,
      "POST resource 409": 1,
      "GET resource 200": 2,
      "GET resource 404": 1,
      "GET resource status 200": 1,
      "LIST namespace 200": 1,
      "LIST cluster 200": 1,
      "PATCH resource 200": 1,
      "APPLY resource 200": 1,
      "DELETE namespace 200": 1,
    });
  });

  it("time requests over the network, not in-process requests", async () => {
    const { bytes, direct, metrics } = start();
    await direct.post(MAPS, map("a"));
    expect(metrics.render()).not.toContain("apiserver_request_duration_seconds_count");
    await bytes.get(`${MAPS}/a`);
    await direct.get(`${MAPS}/a`);
    const counts = [
      ...metrics.render().matchAll(/^apiserver_request_duration_seconds_count\{.*verb="(.*?)".*\} (\d+)$/gm),
    ];
    expect(counts.map(([, verb, count]) => `${verb} ${count}`)).toEqual(["GET 1"]);
  });

  it("leave out requests without a route, and unauthenticated ones", async () => {
    const { bytes, server, counts } = start();
    const nobody = testClient(bytesTransport(server));
    expect((await nobody.get(MAPS)).status).toBe(403);
    expect((await bytes.get("/api/v1/nonsense")).status).toBe(404);
    expect((await bytes.request("PUT", MAPS, map("a"))).status).toBe(405);
    expect(counts()).toEqual({});
  });

  it("count a request beyond the limit", async () => {
    const { server, counts } = start({ limits: { readingInFlightMax: 0 } });
    const user = { name: "u", groups: ["system:authenticated"] };
    const { status } = await testClient(bytesTransport(server, { peer: { user } })).get(MAPS);
    expect([status, counts()]).toEqual([429, { "LIST namespace 429": 1 }]);
  });

  it("count an open watch, and a request when it has ended", async () => {
    const { bytes, clock, counts, metrics } = start();
    const place = ["", "v1", "configmaps", "", "namespace", "apiserver"];
    const isOpen = (): number | undefined => metrics.value("apiserver_longrunning_requests", ["WATCH", ...place]);
    const { body } = await bytes.send("GET", `${MAPS}?watch=1&timeoutSeconds=90`);
    expect([isOpen(), counts()]).toEqual([1, {}]);
    await clock.advance(90_000);
    if (body.kind === "stream") for await (const _ of body.chunks);
    expect([isOpen(), counts()]).toEqual([0, { "WATCH namespace 200": 1 }]);
    const seconds = /apiserver_request_duration_seconds_sum\{.*verb="WATCH".*\} (.*)/.exec(metrics.render())?.[1];
    expect(Number(seconds)).toBeGreaterThanOrEqual(90);
  });

  it("count stored objects and requests in progress", async () => {
    const { bytes, metrics } = start();
    await bytes.post(MAPS, map("a"));
    // The second one records since when the use of legacy tokens is tracked.
    expect(metrics.value("apiserver_resource_objects", ["", "configmaps"])).toBe(2);
    expect(metrics.value("apiserver_resource_objects", ["apps", "deployments"])).toBe(0);
    expect(metrics.value("apiserver_storage_objects", ["deployments.apps"])).toBe(0);
    expect(metrics.value("apiserver_resource_objects", ["authorization.k8s.io", "subjectaccessreviews"])).toBe(
      undefined,
    );
    expect(metrics.value("apiserver_current_inflight_requests", ["mutating"])).toBe(0);
    expect(metrics.value("apiserver_current_inflight_requests", ["readOnly"])).toBe(0);
  });

  it("are served to system:masters and system:monitoring if there is a page", async () => {
    const page = {
      status: 200,
      headers: { "content-type": "text/plain" },
      body: { kind: "bytes", bytes: new Uint8Array() },
    };
    const { server, bytes } = start({ metricsPage: () => page as never });
    const asMember = (group: string) =>
      testClient(bytesTransport(server, { peer: { user: { name: "u", groups: [group] } } }));
    expect((await bytes.get("/metrics")).status).toBe(200);
    expect((await bytes.get("/metrics/")).status).toBe(404);
    expect((await bytes.delete("/metrics")).status).toBe(405);
    expect((await asMember("system:monitoring").get("/metrics")).status).toBe(200);
    expect((await asMember("devs").get("/metrics")).status).toBe(403);
    expect((await start().bytes.get("/metrics")).status).toBe(404);
  });
});
