// The schedule of the pod garbage collector, its live reads of nodes that are not cached, and the pods that its patches
// select.

import { expect, it } from "vitest";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { PodSpec } from "#api/generated/types/core-v1.ts";
import { decodeText } from "#client/codec.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { type Interception, refusal } from "#test/stage/faulty-network.ts";
import { type WireManagerOptions, WireStage } from "#test/stage/wire-stage.ts";

const IDENTITY = "pod-garbage-collector";
const LOOK_MS = 20_000;
const QUARANTINE_MS = 40_000;
const MAIN = { name: "main", image: "example/web:1" };

class PodWorld extends WireStage {
  static async open(seed: string, options?: WireManagerOptions): Promise<PodWorld> {
    const world = await new PodWorld({ controllers: ["pod-garbage-collector-controller"], seed }).opened();
    return await world.started(options);
  }

  async pod(name: string, spec: Partial<PodSpec>, phase = "Running"): Promise<void> {
    const pod = { metadata: { name }, spec: { containers: [MAIN], ...spec } };
    await this.of(Pods).create(pod);
    await this.of(Pods).patch(name, { status: { phase } }, { subresource: "status" });
  }

  async node(name: string): Promise<void> {
    const node = { metadata: { name } };
    await this.of(Nodes).create(node);
  }

  /** The number of the controller's reads of the node. */
  looks(name: string): number {
    return this.requests("GET").filter((target) => target === `/api/v1/nodes/${name}`).length;
  }
}

const isOwn = (who: string): boolean => who === IDENTITY;
const threshold = (TerminatedPodGCThreshold: number): WireManagerOptions => ({
  config: { PodGCController: { TerminatedPodGCThreshold } },
});

it("pod-garbage-collector/config looks every 20 s, and gives a missing node 40 s", async () => {
  expect(defaultConfig.PodGCController.TerminatedPodGCThreshold).toBe(12_500);
  await using world = await PodWorld.open("looks", threshold(1));
  for (const name of ["a", "b"]) await world.pod(name, {}, "Succeeded");
  await world.pass(LOOK_MS - 5000);
  expect(world.requests("DELETE")).toEqual([]);
  await world.pass(5000);
  expect(world.requests("DELETE")).toHaveLength(1);
  await world.pod("orphan", { nodeName: "gone" });
  await world.pass(LOOK_MS + QUARANTINE_MS - 2000);
  expect(world.looks("gone")).toBe(0);
  await world.pass(LOOK_MS);
  expect(world.looks("gone")).toBe(1);
  expect(await world.exists(Pods, "orphan")).toBe(false);
  expect(world.series('workqueue_adds_total{name="orphaned_pods_nodes"}')[0]).toMatch(/ 1$/);
});

it.each([0, -1])(
  "pod-garbage-collector/config keeps terminated pods with a threshold of %i, and no orphan",
  async (max) => {
    await using world = await PodWorld.open("no-threshold", threshold(max));
    for (const name of ["a", "b"]) await world.pod(name, {}, "Failed");
    await world.pod("orphan", { nodeName: "gone" });
    await world.pass(10 * LOOK_MS);
    for (const name of ["a", "b"]) expect(await world.exists(Pods, name)).toBe(true);
    expect(await world.exists(Pods, "orphan")).toBe(false);
  },
);

it("pod-garbage-collector/tests keeps pods of a node that the server has and the cache has not", async () => {
  await using world = await PodWorld.open("late-cache");
  world.hold(Nodes);
  await world.node("late");
  await world.pod("kept", { nodeName: "late" });
  await world.pass(LOOK_MS + QUARANTINE_MS + LOOK_MS);
  expect(world.looks("late")).toBeGreaterThan(0);
  expect((await world.of(Pods).find("kept"))?.status?.phase).toBe("Running");
});

it("pod-garbage-collector/tests asks for no node that the cache has again, and keeps its pods", async () => {
  await using world = await PodWorld.open("back");
  await world.pod("kept", { nodeName: "back" });
  await world.pass(LOOK_MS + QUARANTINE_MS - 5000);
  await world.node("back");
  await world.pass(3 * LOOK_MS);
  expect(world.looks("back")).toBe(0);
  expect((await world.of(Pods).find("kept"))?.status?.phase).toBe("Running");
});

it("pod-garbage-collector/tests keeps pods of a node that cannot be asked for, and asks again later", async () => {
  const state = { isRefusing: true };
  const intercept: Interception = ({ path }, who) =>
    state.isRefusing && isOwn(who) && path === "/api/v1/nodes/gone" ? refusal(500, "InternalError") : undefined;
  await using world = await PodWorld.open("refused", { intercept });
  await world.pod("orphan", { nodeName: "gone" });
  await world.pass(LOOK_MS + QUARANTINE_MS + LOOK_MS);
  expect(world.looks("gone")).toBe(1);
  expect(world.log()).toContain("Error while getting node");
  expect(await world.exists(Pods, "orphan")).toBe(true);
  state.isRefusing = false;
  await world.pass(QUARANTINE_MS + 2 * LOOK_MS);
  expect(await world.exists(Pods, "orphan")).toBe(false);
});

it("pod-garbage-collector/traps fails a pod with repeated ports and variables by a patch of its status alone", async () => {
  const patches: unknown[] = [];
  const intercept: Interception = ({ method, headers, body }, who) => {
    if (!isOwn(who) || method !== "PATCH") return undefined;
    expect(headers["content-type"]).toBe("application/strategic-merge-patch+json");
    if (body?.kind === "bytes") patches.push(JSON.parse(decodeText(body.bytes)));
    return undefined;
  };
  await using world = await PodWorld.open("repeated", { intercept });
  const ports = [{ containerPort: 80 }, { containerPort: 80 }];
  const env = ["one", "two"].map((value) => ({ name: "A", value }));
  await world.pod("orphan", { nodeName: "gone", containers: [{ ...MAIN, ports, env }] });
  const uid = (await world.of(Pods).find("orphan"))?.metadata.uid;
  await world.pass(LOOK_MS + QUARANTINE_MS + LOOK_MS);
  expect(await world.exists(Pods, "orphan")).toBe(false);
  expect(patches).toMatchObject([{ metadata: { uid }, status: { phase: "Failed" } }]);
  expect(Object.keys(patches[0] as object).sort()).toEqual(["metadata", "status"]);
});

it("pod-garbage-collector/traps does not fail a pod that has the name of an orphan", async () => {
  await using world = await PodWorld.open("successor");
  await world.pod("web", { nodeName: "gone" });
  await world.pass(2000);
  world.hold(Pods);
  await world.of(Pods).delete("web", { gracePeriodSeconds: 0 });
  await world.pod("web", {});
  await world.pass(LOOK_MS + QUARANTINE_MS + LOOK_MS);
  expect(world.requests("PATCH").length).toBeGreaterThan(0);
  expect(world.requests("DELETE")).toEqual([]);
  expect((await world.of(Pods).find("web"))?.status?.phase).toBe("Running");
});

it("pod-garbage-collector/writes leaves a pod out that is gone when its turn comes", async () => {
  const turn = Promise.withResolvers<void>();
  const intercept: Interception = async ({ method, path }, who) => {
    if (isOwn(who) && method === "PATCH" && path.includes("/pods/a/")) await turn.promise;
    return undefined;
  };
  await using world = await PodWorld.open("turns", { intercept });
  for (const name of ["a", "b"]) await world.pod(name, { nodeName: "gone" });
  await world.pass(LOOK_MS + QUARANTINE_MS + LOOK_MS);
  await world.of(Pods).delete("b", { gracePeriodSeconds: 0 });
  await world.pass(1000);
  turn.resolve();
  await world.pass(1000);
  expect(await world.exists(Pods, "a")).toBe(false);
  expect(world.requests("PATCH")).toHaveLength(1);
});
