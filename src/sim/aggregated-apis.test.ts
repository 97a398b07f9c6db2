import { expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { hostTurn } from "#base/testing.ts";
import { createDiscovery, groupsAndResources } from "#client/discovery.ts";
import { World } from "./world.ts";

const pods = { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] };

function openWorld(): World {
  return new World({ turn: hostTurn, gates: featureGateTable() });
}

const discovered = (world: World) => world.do((client, signal) => groupsAndResources(createDiscovery(client), signal));

it("shows in discovery and answers", async () => {
  const world = openWorld();
  world.apis.serve({
    groupVersion: "metrics.k8s.io/v1beta1",
    resources: [pods],
    answer: ({ path, query }) => ({ body: { path, selector: query.get("labelSelector") } }),
  });
  const { lists, failure } = await discovered(world);
  expect(failure).toBeUndefined();
  const found = lists.find(({ groupVersion }) => groupVersion === "metrics.k8s.io/v1beta1");
  expect(found?.resources).toMatchObject([{ name: "pods", kind: "PodMetrics", namespaced: true }]);
  expect(lists.some(({ groupVersion }) => groupVersion === "apps/v1")).toBe(true);
  const path = "/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods";
  const { bytes } = await world.do((client, signal) =>
    client.raw({ method: "GET", path, query: "labelSelector=a%3Db" }, signal),
  );
  expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({ path: "namespaces/ns/pods", selector: "a=b" });
});

it("breaks discovery of its own group alone", async () => {
  const world = openWorld();
  world.apis.serve({ groupVersion: "broken.example.com/v1" });
  const { lists, failure } = await discovered(world);
  expect([...(failure?.groups.keys() ?? [])]).toEqual(["broken.example.com/v1"]);
  expect(lists.some(({ groupVersion }) => groupVersion === "apps/v1")).toBe(true);
  world.apis.withdraw("broken.example.com/v1");
  expect((await discovered(world)).failure).toBeUndefined();
});
