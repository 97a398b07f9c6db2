// The taint eviction controller with a failing API server, and alone.

import { expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Taint } from "#api/generated/types/core-v1.ts";
import { knownController } from "#kit/known-controllers.ts";
import { canonicalSelection, isSelected } from "#manager/controller-selection.ts";
import { type Interception, unavailable } from "#test/stage/faulty-network.ts";
import { NodeWorld } from "../node-lifecycle/node-world.ts";

const NAME = "taint-eviction-controller";
const BUSY: Taint = { key: "example.com/busy", effect: "NoExecute" };
const isTerminating = async (stage: NodeWorld, name: string): Promise<boolean> =>
  (await stage.of(Pods).find(name))?.metadata.deletionTimestamp !== undefined;

it("taint-eviction/about is on by default, without an alias, behind a gate that is locked", () => {
  expect(canonicalSelection(["taint-eviction"])).toEqual(["taint-eviction"]);
  expect(isSelected(NAME, ["*"])).toBe(true);
  expect(knownController(NAME).featureGates).toEqual(["SeparateTaintEvictionController"]);
});

it("taint-eviction/traps, taint-eviction/watches, taint-eviction/queues, taint-eviction/metrics finds the pods of a node although no other controller runs", async () => {
  await using stage = await NodeWorld.open(NAME, "alone");
  await stage.node("node");
  await stage.pod("pod", "node");
  await stage.taint("node", BUSY);
  await stage.pass(1000);
  expect(await isTerminating(stage, "pod")).toBe(true);
  expect([...stage.watched()].sort()).toEqual(["/api/v1/nodes", "/api/v1/pods"]);
  expect(stage.series("taint_eviction_controller_pod_deletions_total")).toEqual([
    "taint_eviction_controller_pod_deletions_total 1",
  ]);
  expect(stage.series("taint_eviction_controller_pod_deletion_duration_seconds_bucket")).toContain(
    'taint_eviction_controller_pod_deletion_duration_seconds_bucket{le="0.005"} 1',
  );
  for (const queue of ["noexec_taint_node", "noexec_taint_pod"]) {
    expect(stage.series(`workqueue_adds_total{name="${queue}"}`)).toHaveLength(1);
  }
});

it("taint-eviction/7, taint-eviction/reads-live reads the pod before each of five tries, and then leaves it", async () => {
  let isDown = true;
  const intercept: Interception = ({ method }) => (isDown && method === "DELETE" ? unavailable : undefined);
  await using stage = await NodeWorld.open(NAME, "five tries", { intercept });
  await stage.node("node");
  await stage.pod("pod", "node");
  await stage.taint("node", BUSY);
  await stage.pass(60_000);
  expect(stage.requests("GET").filter((target) => target.endsWith("/pods/pod"))).toHaveLength(5);
  // The first attempt has set the condition.
  expect(stage.requests("PATCH").filter((target) => target.endsWith("/pods/pod/status"))).toHaveLength(1);
  expect(stage.log()).toContain("TaintEvictionController: timed worker failed");
  isDown = false;
  await stage.pass(600_000);
  expect(await isTerminating(stage, "pod")).toBe(false);
  await stage.taint("node", BUSY, { ...BUSY, key: "example.com/broken" });
  await stage.pass(1000);
  expect(await isTerminating(stage, "pod")).toBe(true);
});

it("taint-eviction/config, taint-eviction/2 evicts the pods of many nodes that are tainted at once", async () => {
  await using stage = await NodeWorld.open(NAME, "many");
  const names = Array.from({ length: 20 }, (_, i) => `node-${i}`);
  for (const name of names) {
    await stage.node(name);
    await stage.pod(name, name);
  }
  for (const name of names) await stage.taint(name, BUSY);
  await stage.pass(1000);
  for (const name of names) expect(await isTerminating(stage, name)).toBe(true);
});
