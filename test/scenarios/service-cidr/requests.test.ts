// The ServiceCIDR controller with a failing API server.

import { expect, it } from "vitest";
import { Events } from "#api/generated/resources/core-v1.ts";
import { ServiceCIDRs } from "#api/generated/resources/networking-v1.ts";
import { knownController } from "#kit/known-controllers.ts";
import { canonicalSelection, isSelected } from "#manager/controller-selection.ts";
import { type Interception, unavailable } from "#test/stage/faulty-network.ts";
import { type WireManagerOptions, WireStage } from "#test/stage/wire-stage.ts";

const NAME = "service-cidr-controller";

class CidrWorld extends WireStage {
  static async open(seed: string, options?: WireManagerOptions): Promise<CidrWorld> {
    const world = await new CidrWorld({ controllers: [NAME], seed }).opened();
    return await world.started(options);
  }

  range(name: string, ...cidrs: readonly string[]): Promise<unknown> {
    return this.of(ServiceCIDRs).create({ metadata: { name }, spec: { cidrs } });
  }

  async isReady(name: string): Promise<boolean> {
    const conditions = (await this.of(ServiceCIDRs).find(name))?.status?.conditions ?? [];
    return conditions.some(({ type, status }) => type === "Ready" && status === "True");
  }
}

it("service-cidr/about, service-cidr/watches, service-cidr/config, service-cidr/metrics is on by default, without an alias and metrics of its own", async () => {
  expect(canonicalSelection(["service-cidr"])).toEqual(["service-cidr"]);
  expect(isSelected(NAME, ["*"])).toBe(true);
  expect(knownController(NAME).featureGates).toEqual(["MultiCIDRServiceAllocator"]);
  await using stage = await CidrWorld.open("watches");
  expect([...stage.watched()].sort()).toEqual([
    "/apis/networking.k8s.io/v1/ipaddresses",
    "/apis/networking.k8s.io/v1/servicecidrs",
  ]);
  expect(stage.series('workqueue_adds_total{name="ipaddresses"}')).toHaveLength(1);
  expect(stage.series("service_cidr")).toEqual([]);
});

it("service-cidr/2, service-cidr/events, service-cidr/config says that a status cannot be written, and drops the ServiceCIDR after 15 retries", async () => {
  let isDown = true;
  const intercept: Interception = ({ method, path }) =>
    isDown && method === "PATCH" && path.endsWith("/range/status") ? unavailable : undefined;
  await using stage = await CidrWorld.open("status", { intercept });
  await stage.range("range", "10.101.0.0/24");
  await stage.pass(600_000);
  expect(stage.requests("PATCH").filter((target) => target.includes("/range/status"))).toHaveLength(16);
  const events = await stage.of(Events, "default").list();
  expect(events.map(({ type, reason, message }) => [type, reason, message])).toEqual([
    ["Warning", "KubernetesServiceCIDRError", "The ServiceCIDR Status can not be set to Ready=True"],
  ]);
  isDown = false;
  await stage.pass(600_000);
  expect(await stage.isReady("range")).toBe(false);
  await stage.of(ServiceCIDRs).patch("range", { metadata: { labels: { changed: "yes" } } });
  await stage.pass(1_000);
  expect(await stage.isReady("range")).toBe(true);
});
