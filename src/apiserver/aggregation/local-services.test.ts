import { describe, expect, it } from "vitest";
import type { APIService } from "#api/generated/types/apiregistration-v1.ts";
import { builtinResources } from "#api/resource-table.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { startTestServer, type TestClient } from "../testing.ts";
import { builtinPriority } from "./priorities.ts";

const SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MANAGED = "kube-aggregator.kubernetes.io/automanaged";

const definition = (versions: readonly string[], plural = "widgets") => ({
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural, kind: plural.toUpperCase() },
    versions: versions.map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: { type: "object" } },
    })),
  },
});

async function services(client: TestClient): Promise<Map<string, APIService>> {
  const { items } = (await client.get(SERVICES)).body as { items: APIService[] };
  return new Map(items.map((service) => [service.metadata?.name ?? "", service]));
}

describe("APIServices of local groups", () => {
  it("machinery/7.2.r9 exist for every built-in version, and are available", async () => {
    const { bytes } = startTestServer();
    const all = await services(bytes);
    expect([...all.keys()].filter((name) => name.endsWith(".autoscaling"))).toEqual([
      "v1.autoscaling",
      "v2.autoscaling",
    ]);
    expect(all.has("v1.apiregistration.k8s.io")).toBe(false);
    expect(all.get("v1.apps")).toMatchObject({
      metadata: { labels: { [MANAGED]: "onstart" } },
      spec: { group: "apps", version: "v1", groupPriorityMinimum: 17800, versionPriority: 15 },
      status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
    });
  });

  it("machinery/7.2.r9 have a priority for every version of the resource table", () => {
    const versions = builtinResources().filter(({ group }) => group !== "apiregistration.k8s.io");
    expect(versions.filter(({ group, version }) => builtinPriority(group, version) === undefined)).toEqual([]);
  });

  it("machinery/7.2.r9 are created and deleted with definitions, version by version", async () => {
    const { bytes, clock } = startTestServer();
    await bytes.post(DEFINITIONS, definition(["v1", "v1beta1"]));
    await bytes.post(DEFINITIONS, definition(["v1"], "gears"));
    await clock.advance(10);
    expect((await services(bytes)).get("v1beta1.example.com")).toMatchObject({
      metadata: { labels: { [MANAGED]: "true" } },
      spec: { groupPriorityMinimum: 1000, versionPriority: 100 },
    });
    await bytes.delete(`${DEFINITIONS}/widgets.example.com`);
    await clock.advance(10_000);
    const names = [...(await services(bytes)).keys()].filter((name) => name.endsWith("example.com"));
    expect(names).toEqual(["v1.example.com"]);
  });

  it("machinery/7.2.r9 are restored: those of definitions at once, those of built-in groups at startup", async () => {
    let storage: MemoryStorage | undefined;
    const openStorage = (clock: ConstructorParameters<typeof MemoryStorage>[0]["clock"]): MemoryStorage => {
      storage ??= new MemoryStorage({ clock });
      return storage;
    };
    const first = startTestServer({ openStorage });
    await first.bytes.post(DEFINITIONS, definition(["v1"]));
    await first.clock.advance(10);
    const change = { spec: { versionPriority: 7 } };
    for (const name of ["v1.example.com", "v1.apps"]) await first.bytes.patch(`${SERVICES}/${name}`, "merge", change);
    await first.bytes.delete(`${SERVICES}/v1.batch`);
    await first.clock.advance(10);
    const changed = await services(first.bytes);
    expect(changed.get("v1.example.com")?.spec?.versionPriority).toBe(100);
    expect(changed.get("v1.apps")?.spec?.versionPriority).toBe(7);
    expect(changed.has("v1.batch")).toBe(false);
    first.server.close();
    const second = startTestServer({ openStorage, runtimeConfig: { "autoscaling/v2": "false" } });
    const restarted = await services(second.bytes);
    expect(restarted.get("v1.apps")?.spec?.versionPriority).toBe(15);
    expect([restarted.has("v1.batch"), restarted.has("v2.autoscaling")]).toEqual([true, false]);
  });

  it("machinery/7.2.r9 stay available whatever a client writes, and one that a client created stays unchanged", async () => {
    const { bytes, clock } = startTestServer();
    const own = { group: "own.example", version: "v1", groupPriorityMinimum: 5, versionPriority: 5 };
    await bytes.post(SERVICES, { metadata: { name: "v1.own.example" }, spec: own });
    const status = { conditions: [{ type: "Available", status: "False", reason: "No" }] };
    await bytes.patch(`${SERVICES}/v1.own.example/status`, "merge", { status });
    await clock.advance(10);
    const service = (await services(bytes)).get("v1.own.example");
    expect(service?.status?.conditions).toMatchObject([{ status: "True", reason: "Local" }]);
    expect(service?.spec).toEqual(own);
  });
});
