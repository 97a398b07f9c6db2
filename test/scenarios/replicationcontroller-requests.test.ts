// What replicationcontroller-controller asks the API server for, seen from the wire: the same engine as for
// ReplicaSets, under another name, for another kind, and without the guard against a cache that lags.

import { afterEach, describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ReplicationController } from "#api/generated/types/core-v1.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { StreamValve } from "#sim/stream-valve.ts";
import { type EmbeddedStage, embeddedStage } from "./embedded-stage.ts";
import { FaultyNetwork } from "./faulty-network.ts";
import { barePod, labelPod, listPods, makeReady, nameOf, untilPods } from "./pod-steps.ts";
import { EVERY_TIME, forbidden, refusal } from "./replica-objects.ts";
import { controls, replicationControllers } from "./replica-subject.ts";
import { createObject, untilEvent } from "./steps.ts";

const { create, scale, patch, until, untilStable } = controls(replicationControllers);

let stage: EmbeddedStage;
let network: FaultyNetwork;
afterEach(async () => {
  network.pass();
  await stage.stop();
});

async function open(more: Partial<Parameters<typeof embeddedStage>[0]> = {}): Promise<void> {
  network = new FaultyNetwork();
  stage = await embeddedStage({
    controllers: ["replicationcontroller-controller"],
    network: (transport) => network.over(transport),
    ...more,
  });
}

const creates = (): number => network.count("POST pods");

describe("replicationcontroller seen from the wire", () => {
  it("replicationcontroller/watches all ReplicationControllers and all pods, and no ReplicaSets", async () => {
    await open();
    await create(stage, 1);
    const watched = network.requests.filter(({ query }) => query.includes("watch=")).map(({ path }) => path);
    expect(watched.sort()).toEqual(["/api/v1/pods", "/api/v1/replicationcontrollers"]);
  });

  it("replicationcontroller/writes, replicationcontroller/reads-live its pods and its own status, as replication-controller", async () => {
    await open({ useServiceAccountCredentials: true });
    await createObject(stage, Pods, barePod("orphan"));
    await create(stage, 2);
    const [own] = (await listPods(stage)).filter((pod) => nameOf(pod) !== "orphan");
    if (own !== undefined) await labelPod(stage, own, { app: "other" });
    await untilPods(stage, (pods) => pods.length === 3);
    await scale(stage, 0);
    const calls = network.requests
      .filter(({ path }) => path.includes("/namespaces/scenario/"))
      .map(({ method, path, headers }) => {
        const what = path.split("/namespaces/scenario/")[1]?.replace(/^pods\/.+/, "pods/<name>");
        return `${method} ${what} ${method === "PATCH" ? headers["content-type"] : ""}`.trim();
      });
    expect([...new Set(calls)].sort()).toEqual([
      "DELETE pods/<name>",
      "GET replicationcontrollers/web",
      "PATCH pods/<name> application/strategic-merge-patch+json",
      "POST events",
      "POST pods",
      "PUT replicationcontrollers/web/status",
    ]);
    expect(calls.filter((call) => call.startsWith("GET"))).toHaveLength(1);
    const writers = stage.world.log.writes.filter(({ target }) => target.includes("/namespaces/scenario/"));
    expect([...new Set(writers.map(({ who }) => who))]).toEqual([
      "system:serviceaccount:kube-system:replication-controller",
    ]);
  });

  it("replicationcontroller/reads-live, replicationcontroller/8 a refused status is put once more on the live object, then comes back-off", async () => {
    await open();
    network.refuse("PUT replicationcontrollers", refusal(409, "Conflict"), EVERY_TIME);
    await createObject(stage, replicationControllers.resource, replicationControllers.make("web", 1));
    await stage.pass(1_000);
    const calls = network.requests
      .filter(({ path }) => path.includes("/replicationcontrollers/web"))
      .map(({ method }) => method);
    expect(calls.slice(0, 6)).toEqual(["PUT", "GET", "PUT", "PUT", "GET", "PUT"]);
    network.pass();
    await untilStable(stage, 1);
    const [write] = (await stage.writes()).filter(({ resource }) => resource === "replicationcontrollers/status");
    const body = write?.body as ReplicationController;
    expect([body.apiVersion, body.kind, body.spec?.selector]).toEqual(["v1", "ReplicationController", { app: "web" }]);
  });

  it("replicationcontroller/writes five at once, and 500 pods in one go", async () => {
    await open();
    network.hold("POST pods");
    for (let i = 0; i < 8; i++) {
      const labels = { app: `web-${i}` };
      const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } };
      const more = { selector: { matchLabels: labels }, template };
      await createObject(stage, replicationControllers.resource, replicationControllers.make(`web-${i}`, 1, more));
    }
    await stage.pass(10_000);
    expect(creates()).toBe(5);
    network.pass();
    await untilPods(stage, (pods) => pods.length === 8);
    const batches: number[] = [];
    network.hold("POST pods");
    await createObject(stage, replicationControllers.resource, replicationControllers.make("web", 600));
    for (let batch = 0; batch < 9; batch++) {
      await stage.pass(10);
      batches.push(creates() - 8);
      network.pass();
      network.hold("POST pods");
    }
    expect(batches).toEqual([1, 3, 7, 15, 31, 63, 127, 255, 500]);
    network.pass();
    await untilStable(stage, 600);
  });

  it("replicationcontroller/events tells of what was refused", async () => {
    await open();
    network.refuse("POST pods", forbidden, EVERY_TIME);
    await createObject(stage, replicationControllers.resource, replicationControllers.make("web", 1));
    const { involvedObject, message } = await untilEvent(stage, ({ reason }) => reason === "FailedCreate");
    expect([involvedObject.kind, message]).toEqual(["ReplicationController", "Error creating: it is Forbidden"]);
  });

  it("replicationcontroller/4 says at every scale-down that it has no controller", async () => {
    await open();
    await create(stage, 2);
    await scale(stage, 1);
    expect(stage.log()).toContain('"ReplicationController has no controller" logger="replication-controller"');
  });

  it("replicationcontroller/metrics has none of its own: the ages of what it deletes are counted with the ReplicaSets'", async () => {
    const metrics = new MetricRegistry({ version: "1.36.4" });
    await open({ metrics, controllers: ["replicationcontroller-controller", "replicaset-controller"] });
    await create(stage, 2);
    await stage.pass(10_000);
    for (const pod of await listPods(stage)) await makeReady(stage, pod);
    await until(stage, ({ status }) => status?.readyReplicas === 2);
    await scale(stage, 1);
    const text = metrics.render();
    expect(text).toContain("replicaset_controller_sorting_deletion_age_ratio_count 1");
    expect(text).toContain('workqueue_adds_total{name="replicationmanager"}');
    expect(text).not.toMatch(/^replication/m);
  });
});

describe("replicationcontroller and a pod cache that lags", () => {
  it("replicationcontroller/5, replicationcontroller/8 only expectations keep it from acting twice, and only for five minutes", async () => {
    network = new FaultyNetwork();
    const metrics = new MetricRegistry({ version: "1.36.4" });
    const valve = new StreamValve();
    stage = await embeddedStage({
      controllers: ["replicationcontroller-controller"],
      gates: { WatchListClient: false },
      metrics,
      // Closed before the first bookmark: after one, silence would be taken for death.
      network: (transport) =>
        network.over(valve.over(transport, ({ path, query }) => path === "/api/v1/pods" && /\bwatch=/.test(query))),
    });
    valve.close();
    await createObject(stage, replicationControllers.resource, replicationControllers.make("web", 20));
    await stage.pass(4 * 60_000);
    // The sync is not held back: the status is written. But it creates nothing on what it sees.
    await patch(stage, { spec: { minReadySeconds: 1 } });
    await until(stage, ({ status }) => status?.observedGeneration === 2);
    expect(creates()).toBe(20);
    await stage.pass(2 * 60_000);
    await patch(stage, { metadata: { annotations: { touched: "1" } } });
    await stage.pass(10_000);
    expect(creates()).toBe(40);
    expect(metrics.render()).not.toMatch(/stale_sync_skips_total\{/);
    valve.open();
    await untilStable(stage, 20);
  });
});
