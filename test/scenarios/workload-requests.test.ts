// The requests of the Deployment, DaemonSet and StatefulSet controllers: their concurrency, retries after refusals, and
// objects that a present API server would not store.

import { describe, expect, it } from "vitest";
import { ControllerRevisions, DaemonSets, Deployments, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { Events, Nodes, PersistentVolumeClaims, Pods } from "#api/generated/resources/core-v1.ts";
import type { StoredObject } from "#api/resource.ts";
import { jsonResponse } from "#client/testing.ts";
import type { ControllerName } from "#kit/known-controllers.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { type Interception, unavailable } from "#test/stage/faulty-network.ts";
import { NAMESPACE, WireStage } from "#test/stage/wire-stage.ts";

const MINUTE = 60_000;
const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } };
const spec = { replicas: 1, serviceName: "web", selector: { matchLabels: labels }, template };
const withoutReplicas = { selector: { matchLabels: labels }, template };

class Workloads extends WireStage {
  static async open(controller: ControllerName): Promise<Workloads> {
    return await new Workloads({ controllers: [controller], seed: controller }).opened();
  }

  async events(): Promise<readonly string[]> {
    return (await this.of(Events).list()).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }
}

const isWriteOf = (resource: string, { method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === "POST" && path.endsWith(`/${resource}`);

describe("how much at once", () => {
  const { DeploymentController, DaemonSetController, StatefulSetController } = defaultConfig;
  it.each([
    ["deployment/config", "deployment-controller", Deployments, "replicasets", {}, 5],
    ["daemonset/config", "daemonset-controller", DaemonSets, "controllerrevisions", {}, 2],
    ["statefulset/writes", "statefulset-controller", StatefulSets, "controllerrevisions", {}, 5],
    [
      "deployment/config",
      "deployment-controller",
      Deployments,
      "replicasets",
      { DeploymentController: { ...DeploymentController, ConcurrentDeploymentSyncs: 3 } },
      3,
    ],
    [
      "daemonset/config",
      "daemonset-controller",
      DaemonSets,
      "controllerrevisions",
      { DaemonSetController: { ...DaemonSetController, ConcurrentDaemonSetSyncs: 3 } },
      3,
    ],
    [
      "statefulset/writes",
      "statefulset-controller",
      StatefulSets,
      "controllerrevisions",
      { StatefulSetController: { ...StatefulSetController, ConcurrentStatefulSetSyncs: 3 } },
      3,
    ],
  ] as const)(
    "%s %s works on as many objects as its flag says: %#",
    async (_, name, kind, written, config, workers) => {
      await using world = await Workloads.open(name);
      for (let i = 0; i < 8; i++) {
        const own = kind === DaemonSets ? withoutReplicas : spec;
        const object = { metadata: { name: `web-${i}` }, spec: own };
        await world.of<StoredObject>(kind).create(object);
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      let waiting = 0;
      const intercept: Interception = async (request) => {
        if (!isWriteOf(written, request)) return undefined;
        waiting++;
        await promise;
        return unavailable;
      };
      world.startManager({ config, intercept });
      await world.pass(MINUTE);
      expect(waiting).toBe(workers);
      resolve();
    },
  );

  it("daemonset/config creates 250 pods at most before it sees one of them", async () => {
    // New nodes are tainted until they are ready.
    const tolerations = [{ operator: "Exists" }];
    const tolerant = { ...withoutReplicas, template: { ...template, spec: { ...template.spec, tolerations } } };
    await using world = await Workloads.open("daemonset-controller");
    for (let i = 0; i < 260; i++) await world.of(Nodes).create({ metadata: { name: `node-${i}` }, spec: {} });
    world.startManager();
    await world.pass(1000);
    world.hold(Pods);
    await world.of(DaemonSets).create({ metadata: { name: "web" }, spec: tolerant });
    await world.pass(MINUTE);
    expect(world.requests("POST").filter((path) => /pods$/.test(path))).toHaveLength(250);
  });
});

describe("after refusals", () => {
  const creates = async (answer: Interception): Promise<number> => {
    await using world = await Workloads.open("deployment-controller");
    await world.of(Deployments).create({ metadata: { name: "web" }, spec });
    world.startManager({
      intercept: (request, ...more) => (request.method === "GET" ? undefined : answer(request, ...more)),
    });
    await world.pass(60 * MINUTE);
    return world.requests("POST").filter((path) => path.includes("/replicasets")).length;
  };

  it("deployment/config tries 15 times again, and then waits for the next event", async () => {
    expect(await creates(() => unavailable)).toBe(16);
  });

  it("deployment/config does not try again in a namespace that ends", async () => {
    const ending = { kind: "Status", status: "Failure", reason: "Forbidden", code: 403 };
    const details = { causes: [{ reason: "NamespaceTerminating" }] };
    expect(await creates(() => jsonResponse({ ...ending, details }, 403))).toBe(1);
  });
});

describe("a selector of everything", () => {
  /** Adds an object that an old API server accepted to the list. */
  const selectingAll: Interception = async ({ method, path, query }, _, pass) => {
    if (method !== "GET" || query.includes("watch=") || !/\/(deployments|daemonsets)$/.test(path)) return undefined;
    const answer = await pass();
    if (answer.body.kind !== "bytes") return answer;
    const list = JSON.parse(new TextDecoder().decode(answer.body.bytes)) as { items: { spec: object }[] };
    return jsonResponse({
      ...list,
      items: list.items.map((item) => ({ ...item, spec: { ...item.spec, selector: {} } })),
    });
  };
  const gates = { WatchListClient: false };

  it("deployment/1, deployment/events is refused with an Event, and the generation counts as seen", async () => {
    await using world = await Workloads.open("deployment-controller");
    await world.of(Deployments).create({ metadata: { name: "web" }, spec });
    world.startManager({ gates, intercept: selectingAll });
    await world.pass(1000);
    expect(await world.events()).toContain(
      "Warning SelectingAll: This deployment is selecting all pods. A non-empty selector is required.",
    );
    expect((await world.of(Deployments).find("web"))?.status?.observedGeneration).toBe(1);
  });

  it("daemonset/events, daemonset/1 is refused with an Event, and nothing is done", async () => {
    await using world = await Workloads.open("daemonset-controller");
    await world.of(DaemonSets).create({ metadata: { name: "web" }, spec: withoutReplicas });
    world.startManager({ gates, intercept: selectingAll });
    await world.pass(1000);
    expect(await world.events()).toEqual([
      "Warning SelectingAll: This daemon set is selecting all pods. A non-empty selector is required.",
    ]);
    expect((await world.of(DaemonSets).find("web"))?.status?.observedGeneration).toBeUndefined();
  });
});

describe("the metrics of StatefulSets", () => {
  it.each([
    [true, ["max_unavailable", "unavailable_replicas"]],
    [false, []],
  ])("statefulset/metrics have values with the gate alone: %#", async (isOn, expected) => {
    await using world = await Workloads.open("statefulset-controller");
    await world.of(StatefulSets).create({
      metadata: { name: "web" },
      spec: { ...spec, podManagementPolicy: "Parallel" },
    });
    world.startManager({ gates: { MaxUnavailableStatefulSet: isOn } });
    await world.pass(MINUTE);
    const prefix = "statefulset_controller_statefulset_";
    const labelText = `{pod_management_policy="Parallel",statefulset_name="web",statefulset_namespace="${NAMESPACE}"} 1`;
    expect(world.series(prefix)).toEqual(expected.map((name) => `${prefix}${name}${labelText}`));
  });
});

describe("what a StatefulSet's next sync waits for", () => {
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  it.each([
    ["its pods", Pods, true],
    ["its claims", PersistentVolumeClaims, true],
    ["no revision", ControllerRevisions, false],
  ] as const)("workloads/S27 %s: %#", async (_, held, isWaiting) => {
    await using world = await Workloads.open("statefulset-controller");
    world.startManager();
    await world.pass(1000);
    world.hold(held);
    await world.of(StatefulSets).create({
      metadata: { name: "web" },
      spec: { ...spec, podManagementPolicy: "Parallel", volumeClaimTemplates: [claim] },
    });
    await world.pass(1000);
    expect(await world.exists(Pods, "web-0")).toBe(true);
    await world.of(StatefulSets).patch("web", { spec: { replicas: 2 } });
    await world.pass(MINUTE);
    expect(await world.exists(Pods, "web-1")).toBe(!isWaiting);
    world.release(held);
    await world.pass(MINUTE);
    expect(await world.exists(Pods, "web-1")).toBe(true);
  });
});
