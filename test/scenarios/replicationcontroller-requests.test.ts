// The requests of replicationcontroller-controller: the same engine as for ReplicaSets, under another name, for another
// kind, and without the guard against a lagging cache.

import { afterEach, describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ReplicationController } from "#api/generated/types/core-v1.ts";
import { EVERY_TIME, forbidden, refusal } from "#test/stage/faulty-network.ts";
import { barePod, makeReady } from "#test/stage/pods.ts";
import { openWire, type WireOptions, type WireStage } from "#test/stage/wire-stage.ts";
import { controls, replicationControllers } from "./replicas/subject.ts";

const { create, scale, objects, untilReplicas } = controls(replicationControllers);
const { make } = replicationControllers;

let stage: WireStage;
afterEach(() => stage.stop());

async function open(more: Partial<WireOptions> = {}): Promise<void> {
  stage = await openWire({ controllers: ["replicationcontroller-controller"], ...more });
}

const creates = (): number => stage.network.count("POST pods");

describe("replicationcontroller seen from the wire", () => {
  it("replicationcontroller/watches all ReplicationControllers and all pods, and no ReplicaSets", async () => {
    await open();
    await create(stage, 1);
    expect(stage.watches()).toEqual([
      "shared-informers /api/v1/pods",
      "shared-informers /api/v1/replicationcontrollers",
    ]);
  });

  it("replicationcontroller/writes, replicationcontroller/reads-live its pods and its own status, as replication-controller", async () => {
    await open({ useServiceAccountCredentials: true });
    await stage.of(Pods).create(barePod("orphan"));
    await create(stage, 2);
    const [own] = (await stage.of(Pods).list()).filter((pod) => pod.metadata.name !== "orphan");
    if (own !== undefined) await stage.of(Pods).patch(own.metadata.name, { metadata: { labels: { app: "other" } } });
    await stage.of(Pods).untilAll((pods) => pods.length === 3);
    await scale(stage, 0);
    const calls = stage.network.requests
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
    stage.network.refuse("PUT replicationcontrollers", refusal(409, "Conflict"), EVERY_TIME);
    await objects(stage).create(make("web", 1));
    await stage.pass(1_000);
    const calls = stage
      .asked()
      .flatMap((line) => (line.includes("replicationcontrollers/web") ? line.split(" ", 1) : []));
    expect(calls.slice(0, 6)).toEqual(["PUT", "GET", "PUT", "PUT", "GET", "PUT"]);
    stage.network.pass();
    await untilReplicas(stage, 1);
    const [write] = stage.world.log.writes.filter(({ target }) => target.endsWith("/web/status"));
    const body = write?.body as ReplicationController;
    expect([body.apiVersion, body.kind, body.spec?.selector]).toEqual(["v1", "ReplicationController", { app: "web" }]);
  });

  it("replicationcontroller/writes five at once, and 500 pods in one go", async () => {
    await open();
    stage.network.hold("POST pods");
    for (let i = 0; i < 8; i++) {
      const labels = { app: `web-${i}` };
      const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } };
      const more = { selector: { matchLabels: labels }, template };
      await objects(stage).create(make(`web-${i}`, 1, more));
    }
    await stage.pass(10_000);
    expect(creates()).toBe(5);
    stage.network.pass();
    await stage.of(Pods).untilAll((pods) => pods.length === 8);
    const batches: number[] = [];
    stage.network.hold("POST pods");
    await objects(stage).create(make("web", 600));
    for (let batch = 0; batch < 9; batch++) {
      await stage.pass(10);
      batches.push(creates() - 8);
      stage.network.pass();
      stage.network.hold("POST pods");
    }
    expect(batches).toEqual([1, 3, 7, 15, 31, 63, 127, 255, 500]);
    stage.network.pass();
    await untilReplicas(stage, 600);
  });

  it("replicationcontroller/events tells of what was refused", async () => {
    await open();
    stage.network.refuse("POST pods", forbidden, EVERY_TIME);
    await objects(stage).create(make("web", 1));
    const { involvedObject, message } = await stage.event("FailedCreate");
    expect([involvedObject.kind, message]).toEqual(["ReplicationController", "Error creating: it is Forbidden"]);
  });

  it("replicationcontroller/4 says at every scale-down that it has no controller", async () => {
    await open();
    await create(stage, 2);
    await scale(stage, 1);
    expect(stage.log()).toContain(
      '"ReplicationController has no controller" logger="replicationcontroller-controller"',
    );
  });

  it("replicationcontroller/metrics has none of its own: the ages of what it deletes are counted with the ReplicaSets'", async () => {
    await open({ controllers: ["replicationcontroller-controller", "replicaset-controller"] });
    await create(stage, 2);
    await stage.pass(10_000);
    for (const pod of await stage.of(Pods).list()) await makeReady(stage, pod.metadata.name);
    await objects(stage).until("web", ({ status }) => status?.readyReplicas === 2);
    await scale(stage, 1);
    const text = stage.metrics.render();
    expect(text).toContain("replicaset_controller_sorting_deletion_age_ratio_count 1");
    expect(text).toContain('workqueue_adds_total{name="replicationmanager"}');
    expect(text).not.toMatch(/^replication/m);
  });
});

describe("replicationcontroller and a pod cache that lags", () => {
  it("replicationcontroller/5, replicationcontroller/8 only expectations keep it from acting twice, and only for five minutes", async () => {
    // Held before the first bookmark: after one, silence would count as a dead connection.
    await open({ gates: { WatchListClient: false }, held: [Pods] });
    await objects(stage).create(make("web", 20));
    await stage.pass(4 * 60_000);
    // The sync is not skipped: the status is written. But it creates no pod based on the old cache.
    await objects(stage).patch("web", { spec: { minReadySeconds: 1 } });
    await objects(stage).until("web", ({ status }) => status?.observedGeneration === 2);
    expect(creates()).toBe(20);
    await stage.pass(2 * 60_000);
    await objects(stage).patch("web", { metadata: { annotations: { touched: "1" } } });
    await stage.pass(10_000);
    expect(creates()).toBe(40);
    expect(stage.metrics.render()).not.toMatch(/stale_sync_skips_total\{/);
    stage.release(Pods);
    await untilReplicas(stage, 20);
  });
});
