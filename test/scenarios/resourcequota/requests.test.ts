// The resource quota controller with an API server that fails in parts, and with its flags.

import { expect, it } from "vitest";
import { ConfigMaps, ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import { jsonResponse } from "#client/testing.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { type Interception, unavailable } from "#test/stage/faulty-network.ts";
import { type WireManagerOptions, WireStage } from "#test/stage/wire-stage.ts";

const IDENTITY = "resourcequota-controller";
const PERIOD_MS = 30_000;
const MINUTE_MS = 60_000;

class QuotaWorld extends WireStage {
  static notStarted(seed: string): Promise<QuotaWorld> {
    return new QuotaWorld({ controllers: ["resourcequota-controller"], seed }).opened();
  }

  static async open(seed: string, options?: WireManagerOptions): Promise<QuotaWorld> {
    const world = await QuotaWorld.notStarted(seed);
    return await world.started(options);
  }

  async quota(hard: Readonly<Record<string, string>>, name = "quota"): Promise<void> {
    await this.of(ResourceQuotas).create({ metadata: { name }, spec: { hard } });
  }

  async used(name = "quota"): Promise<unknown> {
    return (await this.of(ResourceQuotas).find(name))?.status?.used;
  }

  /** The number of status writes. */
  get writes(): number {
    return this.requests("PUT").length;
  }
}

it("resourcequota/8 asks no informer that already runs for another resync period", async () => {
  // Pods, Services and claims are watched from the start; the seeds draw different periods.
  for (const seed of ["first period", "second period", "third period"]) {
    await using stage = await QuotaWorld.open(seed);
    await stage.quota({ pods: "5" });
    await stage.pass(MINUTE_MS);
    expect(await stage.used()).toEqual({ pods: "0" });
    expect(stage.log()).not.toContain("resync period");
  }
});

it("resourcequota/9 counts nothing before all caches are filled", async () => {
  let isDown = true;
  const intercept: Interception = ({ path }) => (isDown && path === "/api/v1/secrets" ? unavailable : undefined);
  await using stage = await QuotaWorld.open("unfilled", { intercept });
  await stage.quota({ configmaps: "5" });
  await stage.pass(5 * MINUTE_MS);
  expect(await stage.used()).toBeUndefined();
  isDown = false;
  await stage.pass(2 * MINUTE_MS);
  expect(await stage.used()).toEqual({ configmaps: "0" });
});

it("resourcequota/7 ends the program when nothing can be discovered at its start", async () => {
  const stage = await QuotaWorld.notStarted("nothing");
  const manager = stage.startManager({ intercept: (_, who) => (who === IDENTITY ? unavailable : undefined) });
  await stage.pass(10 * MINUTE_MS);
  await expect(manager.stop()).rejects.toThrow();
  stage.world.server.close();
});

it("resourcequota/7 keeps counting while nothing can be discovered later", async () => {
  let isDown = false;
  const intercept: Interception = (request, who) =>
    isDown && who === IDENTITY && request.method === "GET" ? unavailable : undefined;
  await using stage = await QuotaWorld.open("later", { intercept });
  isDown = true;
  await stage.pass(3 * PERIOD_MS);
  expect(stage.log()).toContain("Error during resource discovery");
  await stage.of(ConfigMaps).create({ metadata: { name: "one" } });
  await stage.quota({ configmaps: "5" });
  await stage.pass(1000);
  expect(await stage.used()).toEqual({ configmaps: "1" });
});

it("resourcequota/4, resourcequota/traps tries again after a conflict", async () => {
  let conflicts = 2;
  const intercept: Interception = ({ method }, who) => {
    if (who !== IDENTITY || method !== "PUT" || conflicts === 0) return undefined;
    conflicts--;
    return jsonResponse({ kind: "Status", status: "Failure", reason: "Conflict", code: 409, message: "changed" }, 409);
  };
  await using stage = await QuotaWorld.open("conflict", { intercept });
  await stage.quota({ configmaps: "5" });
  await stage.pass(1000);
  expect([await stage.used(), stage.writes]).toEqual([{ configmaps: "0" }, 3]);
});

it("resourcequota/2, resourcequota/config, resourcequota/queues, resourcequota/metrics counts all anew after --resource-quota-sync-period", async () => {
  const ResourceQuotaController = {
    ...defaultConfig.ResourceQuotaController,
    ResourceQuotaSyncPeriod: 40_000_000_000n,
  };
  await using stage = await QuotaWorld.open("period", { config: { ResourceQuotaController } });
  await stage.quota({ configmaps: "5" });
  await stage.pass(1000);
  await stage.of(ResourceQuotas).patch("quota", { status: { used: { configmaps: "4" } } }, { subresource: "status" });
  await stage.pass(35_000);
  expect(await stage.used()).toEqual({ configmaps: "4" });
  await stage.pass(5000);
  expect(await stage.used()).toEqual({ configmaps: "0" });
  for (const queue of [
    "resourcequota_primary",
    "resourcequota_priority",
    "resource_quota_controller_resource_changes",
  ]) {
    expect(stage.series(`workqueue_adds_total{name="${queue}"}`)).toHaveLength(1);
  }
});

it("resourcequota/config counts nothing anew when --resource-quota-sync-period is 0", async () => {
  const ResourceQuotaController = { ...defaultConfig.ResourceQuotaController, ResourceQuotaSyncPeriod: 0n };
  await using stage = await QuotaWorld.open("never", { config: { ResourceQuotaController } });
  expect(stage.log()).toContain("periodic quota controller resync disabled");
});

it.each([1, 3])(
  "resourcequota/config works on %i quotas of each queue at once, as --concurrent-resource-quota-syncs says",
  async (workers) => {
    let current = 0;
    let most = 0;
    const intercept: Interception = async ({ method }, who, pass) => {
      if (who !== IDENTITY || method !== "PUT") return undefined;
      most = Math.max(most, ++current);
      await stage.world.clock.sleep(1000, new AbortController().signal);
      current--;
      return await pass();
    };
    const ResourceQuotaController = { ...defaultConfig.ResourceQuotaController, ConcurrentResourceQuotaSyncs: workers };
    await using stage = await QuotaWorld.open("workers", { config: { ResourceQuotaController }, intercept });
    for (let i = 0; i < 6; i++) await stage.quota({ configmaps: "5" }, `quota-${i}`);
    await stage.pass(20_000);
    expect([most, current]).toEqual([workers, 0]);
  },
);

it("resourcequota/about, resourcequota/reads-live, resourcequota/events asks the API server for discovery alone, and writes no Events", async () => {
  await using stage = await QuotaWorld.open("reads");
  await stage.of(ConfigMaps).create({ metadata: { name: "one" } });
  await stage.quota({ configmaps: "5" });
  await stage.pass(PERIOD_MS);
  await stage.of(ConfigMaps).delete("one");
  await stage.pass(1000);
  expect(await stage.used()).toEqual({ configmaps: "0" });
  expect(new Set(stage.requests("GET").map((target) => target.replace(/\?.*/, "")))).toEqual(
    new Set(["/api", "/apis"]),
  );
  expect(stage.requests("POST")).toEqual([]);
});
