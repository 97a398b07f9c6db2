// The start of node IPAM, and its behaviour with a failing API server.

import { expect, it } from "vitest";
import { Events, Nodes } from "#api/generated/resources/core-v1.ts";
import { canonicalSelection } from "#manager/controller-selection.ts";
import { type ComponentConfig, defaultConfig } from "#manager/options/config.ts";
import { type Interception, unavailable } from "#test/stage/faulty-network.ts";
import { NodeWorld } from "../node-lifecycle/node-world.ts";

const NAME = "node-ipam-controller";

function settings(more: Partial<ComponentConfig["KubeCloudShared"]> = {}): Partial<ComponentConfig> {
  const { KubeCloudShared, NodeIPAMController } = defaultConfig;
  return {
    KubeCloudShared: { ...KubeCloudShared, AllocateNodeCIDRs: true, ClusterCIDR: "10.244.0.0/16", ...more },
    NodeIPAMController,
  };
}

const rangeOf = async (stage: NodeWorld, name: string): Promise<string | undefined> =>
  (await stage.of(Nodes).find(name))?.spec?.podCIDR;

it("node-ipam/about, node-ipam/watches has an alias, runs only with --allocate-node-cidrs, and shows that it runs", async () => {
  expect(canonicalSelection(["nodeipam"])).toEqual([NAME]);
  await using off = await NodeWorld.open(NAME, "off");
  await off.node("node");
  await off.pass(1_000);
  expect(await rangeOf(off, "node")).toBeUndefined();
  expect(off.log()).toContain("Warning: skipping controller");
  await using on = await NodeWorld.open(NAME, "on", { config: settings() });
  expect([...on.watched()]).toEqual(["/api/v1/nodes"]);
  expect(on.series("running_managed_controllers")).toEqual([
    'running_managed_controllers{manager="kube-controller-manager",name="nodeipam"} 1',
  ]);
});

it("node-ipam/1, node-ipam/2 ends the program when its settings make no sense", async () => {
  for (const config of [settings({ CIDRAllocatorType: "CloudAllocator" }), settings({ ClusterCIDR: "" })]) {
    const stage = await NodeWorld.notStarted(NAME, "refused");
    const manager = stage.startManager({ config });
    await stage.pass(1_000);
    await expect(manager.stop()).rejects.toThrow();
    expect(stage.log()).toContain("Error initializing a controller");
    stage.world.server.close();
  }
});

it("node-ipam/3 ends the program when a node has a range that is not the cluster's", async () => {
  const stage = await NodeWorld.notStarted(NAME, "strange");
  await stage.node("node", { podCIDR: "192.168.0.0/24", podCIDRs: ["192.168.0.0/24"] });
  const manager = stage.startManager({ config: settings() });
  await stage.pass(1_000);
  await expect(manager.stop()).rejects.toThrow("is out the range of cluster cidr 10.244.0.0/16");
  stage.world.server.close();
});

it("node-ipam/reads-live, node-ipam/3 asks for all nodes every 10 seconds until it knows their ranges", async () => {
  let isDown = true;
  const intercept: Interception = ({ path, method }, who) =>
    isDown && who === "node-controller" && method === "GET" && path === "/api/v1/nodes" ? unavailable : undefined;
  const stage = await NodeWorld.notStarted(NAME, "list");
  await stage.node("first", { podCIDR: "10.244.0.0/24", podCIDRs: ["10.244.0.0/24"] });
  stage.startManager({ config: settings(), intercept });
  await stage.pass(25_000);
  expect(stage.requests("GET").filter((target) => target === "/api/v1/nodes").length).toBeGreaterThanOrEqual(3);
  isDown = false;
  await stage.node("second");
  await stage.pass(11_000);
  expect(await rangeOf(stage, "second")).toBe("10.244.1.0/24");
  await stage[Symbol.asyncDispose]();
});

it("node-ipam/reads-live ends the program when it cannot have all nodes for 10 minutes", async () => {
  const intercept: Interception = ({ path }, who) =>
    who === "node-controller" && path === "/api/v1/nodes" ? unavailable : undefined;
  const stage = await NodeWorld.notStarted(NAME, "never");
  const manager = stage.startManager({ config: settings(), intercept });
  await stage.pass(900_000);
  await expect(manager.stop()).rejects.toThrow(
    "failed to list all nodes in 10m0s, cannot proceed without updating CIDR map",
  );
  stage.world.server.close();
});

it("node-ipam/6, node-ipam/traps, node-ipam/events tries a patch three times, says that it failed, and frees the range", async () => {
  let isDown = true;
  const intercept: Interception = ({ method }) => (isDown && method === "PATCH" ? unavailable : undefined);
  await using stage = await NodeWorld.open(NAME, "patch", {
    config: settings({ ClusterCIDR: "10.244.0.0/24" }),
    intercept,
  });
  await stage.node("node");
  await stage.pass(1);
  expect(stage.requests("PATCH").filter((target) => target === "/api/v1/nodes/node").length % 3).toBe(0);
  await stage.pass(1_000);
  const events = await stage.of(Events, "default").list();
  expect(events.map(({ reason, message }) => [reason, message])).toEqual([
    ["CIDRAssignmentFailed", "Node node status is now: CIDRAssignmentFailed"],
  ]);
  isDown = false;
  await stage.pass(10_000);
  // There is only one range: without its release none would be left.
  expect(await rangeOf(stage, "node")).toBe("10.244.0.0/24");
});

it("node-ipam/traps, node-ipam/6 loses nothing when a cache that lags hides the range of a node", async () => {
  await using stage = await NodeWorld.open(NAME, "lag", { config: settings() });
  stage.hold(Nodes);
  await stage.node("node");
  await stage.patchNode("node", { spec: { podCIDR: "10.244.7.0/24", podCIDRs: ["10.244.7.0/24"] } });
  stage.release(Nodes);
  await stage.pass(10_000);
  expect(await rangeOf(stage, "node")).toBe("10.244.7.0/24");
  await stage.node("next");
  await stage.pass(1_000);
  expect(await rangeOf(stage, "next")).not.toBe("10.244.7.0/24");
});
