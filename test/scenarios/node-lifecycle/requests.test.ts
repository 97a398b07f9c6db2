// The node lifecycle controller with conflicts and with its default flags, and its metrics.

import { expect, it } from "vitest";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import { jsonResponse } from "#client/testing.ts";
import { canonicalSelection, isSelected } from "#manager/controller-selection.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { type Interception, unavailable } from "#test/stage/faulty-network.ts";
import { NodeWorld } from "./node-world.ts";

const NAME = "node-lifecycle-controller";
const conflict = jsonResponse({ kind: "Status", status: "Failure", reason: "Conflict", code: 409 }, 409);
const ZONE = { "topology.kubernetes.io/zone": "a" };

it("node-lifecycle/about, node-lifecycle/watches is on by default, has an alias, and watches leases and DaemonSets, too", async () => {
  expect(canonicalSelection(["nodelifecycle"])).toEqual([NAME]);
  expect(isSelected(NAME, ["*"])).toBe(true);
  await using stage = await NodeWorld.open(NAME, "watches");
  expect([...stage.watched()].sort()).toEqual([
    "/api/v1/nodes",
    "/api/v1/pods",
    "/apis/apps/v1/daemonsets",
    "/apis/coordination.k8s.io/v1/leases",
  ]);
});

it("node-lifecycle/flags gives a node 50 seconds, or 60 before its first status, and looks every 5", async () => {
  await using stage = await NodeWorld.open(NAME, "flags");
  await stage.node("ready");
  await stage.node("bare");
  await stage.postReady("ready");
  // The nodes are registered after one second, and the controller first sees them after five.
  await stage.pass(53_000);
  expect([await stage.ready("ready"), await stage.ready("bare")]).toEqual(["True", undefined]);
  await stage.pass(7_000);
  expect([await stage.ready("ready"), await stage.ready("bare")]).toEqual(["Unknown", undefined]);
  await stage.pass(5_000);
  expect(await stage.ready("bare")).toBe("Unknown");
});

it("node-lifecycle/flags obeys the periods that are set", async () => {
  const config = {
    KubeCloudShared: { ...defaultConfig.KubeCloudShared, NodeMonitorPeriod: 1_000_000_000n },
    NodeLifecycleController: { ...defaultConfig.NodeLifecycleController, NodeMonitorGracePeriod: 3_000_000_000n },
  };
  await using stage = await NodeWorld.open(NAME, "periods", { config });
  await stage.node("node");
  await stage.postReady("node");
  await stage.pass(2_500);
  expect(await stage.ready("node")).toBe("True");
  await stage.pass(3_000);
  expect(await stage.ready("node")).toBe("Unknown");
});

it("node-lifecycle/6, node-lifecycle/reads-live reads a node again when its status cannot be written, and gives up after seven tries", async () => {
  let refusals = Number.POSITIVE_INFINITY;
  const intercept: Interception = ({ method, path }) =>
    method === "PUT" && path.endsWith("/status") && refusals-- > 0 ? conflict : undefined;
  await using stage = await NodeWorld.open(NAME, "conflicts", { intercept });
  await stage.node("node");
  await stage.postReady("node");
  await stage.pass(60_000);
  const puts = stage.requests("PUT").length;
  expect(puts).toBe(7);
  expect(stage.requests("GET").filter((target) => target === "/api/v1/nodes/node")).toHaveLength(7);
  expect(await stage.ready("node")).toBe("True");
  refusals = 2;
  await stage.pass(5_000);
  expect(await stage.ready("node")).toBe("Unknown");
  expect(stage.requests("PUT").length - puts).toBe(3);
});

it("node-lifecycle/3, node-lifecycle/reads-live takes a node from the server's cache first, and after a conflict not", async () => {
  let refusals = 1;
  const intercept: Interception = ({ method }) => (method === "PATCH" && refusals-- > 0 ? conflict : undefined);
  await using stage = await NodeWorld.open(NAME, "taints", { intercept });
  await stage.node("node");
  await stage.pass(1_000);
  expect((await stage.of(Nodes).find("node"))?.spec?.taints).toBeUndefined();
  expect(stage.requests("GET")).toEqual(["/api/v1/nodes/node?resourceVersion=0", "/api/v1/nodes/node"]);
});

it("node-lifecycle/10 marks the pods of a silent node with every look until it succeeds", async () => {
  let isDown = true;
  const intercept: Interception = ({ method, path }) =>
    isDown && method === "PUT" && path.endsWith("/pods/pod/status") ? unavailable : undefined;
  await using stage = await NodeWorld.open(NAME, "pods", { intercept });
  await stage.node("node");
  await stage.postReady("node");
  await stage.pod("pod", "node");
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  await stage.of(Pods).patch("pod", { status }, { subresource: "status" });
  const podReady = async (): Promise<string | undefined> =>
    (await stage.of(Pods).find("pod"))?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
  await stage.pass(70_000);
  expect([await stage.ready("node"), await podReady()]).toEqual(["Unknown", "True"]);
  isDown = false;
  await stage.pass(6_000);
  expect(await podReady()).toBe("False");
});

it("node-lifecycle/metrics, node-lifecycle/traps shows the health of zones, taints, and how long looks take", async () => {
  await using stage = await NodeWorld.open(NAME, "metrics");
  for (const name of ["a", "b", "c", "d"]) {
    await stage.node(name, {}, ZONE);
    await stage.postReady(name);
  }
  await stage.pass(6_000);
  await stage.postReady("a", "False");
  await stage.pass(6_000);
  const zone = '{zone=":\0:a"}';
  for (const line of [
    `node_collector_zone_health${zone} 75`,
    `node_collector_zone_size${zone} 4`,
    `node_collector_unhealthy_nodes_in_zone${zone} 1`,
    `node_collector_evictions_total${zone} 1`,
  ]) {
    expect(stage.series(line.replace(/\{.*/, ""))).toEqual([line]);
  }
  const buckets = stage.series("node_collector_update_node_health_duration_seconds_bucket");
  expect(buckets.map((line) => line.replace(/.*le="(.*)".*/, "$1"))).toEqual([
    ...[0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384].map(String),
    "+Inf",
  ]);
  expect(stage.series("node_collector_update_all_nodes_health_duration_seconds_count")).toHaveLength(1);
  for (const name of ["a", "b", "c", "d"]) await stage.of(Nodes).delete(name);
  await stage.pass(6_000);
  expect(stage.series("node_collector_zone_health")).toEqual([`node_collector_zone_health${zone} 100`]);
  expect(stage.series("node_collector_zone_size")).toEqual([`node_collector_zone_size${zone} 0`]);
});

it("node-lifecycle/5 judges a successor of the same name by what it knows of the predecessor, as upstream", async () => {
  await using stage = await NodeWorld.open(NAME, "successor");
  await stage.node("node");
  await stage.pass(50_000);
  await stage.of(Nodes).delete("node");
  await stage.node("node");
  await stage.pass(16_000);
  expect(await stage.ready("node")).toBe("Unknown");
});
