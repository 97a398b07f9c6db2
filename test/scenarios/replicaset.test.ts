import { afterEach, describe, expect, it } from "vitest";
import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { type EmbeddedStage, embeddedStage } from "./embedded-stage.ts";
import { createObject, listEvents, listPods, podsGvr, setPodStatus } from "./stage.ts";

const setsGvr = { group: "apps", version: "v1", resource: "replicasets" };

let stage: EmbeddedStage;
afterEach(() => stage.stop());

const open = async (): Promise<void> => {
  stage = await embeddedStage({ controllers: ["replicaset-controller"] });
};

function replicaSet(replicas: number, more: Partial<NonNullable<ReplicaSet["spec"]>> = {}): ReplicaSet {
  const labels = { app: "web" };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } },
      ...more,
    },
  };
}

const getSet = (): Promise<ReplicaSet> =>
  stage.do((client, signal) =>
    client.resource<ReplicaSet>(setsGvr).get({ namespace: stage.namespace, name: "web" }, signal),
  );

const scaleTo = (replicas: number): Promise<unknown> =>
  stage.do((client, signal) =>
    client
      .resource(setsGvr)
      .patch({ namespace: stage.namespace, name: "web", type: "merge", patch: { spec: { replicas } } }, signal),
  );

const untilStatus = (test: (status: ReplicaSet["status"] & object) => boolean): Promise<ReplicaSet> =>
  stage.until(async (client, signal) => {
    const set = await client.resource<ReplicaSet>(setsGvr).get({ namespace: stage.namespace, name: "web" }, signal);
    return set.status !== undefined && test(set.status) ? set : undefined;
  });

const untilPodCount = (count: number): Promise<true> =>
  stage.until(async (client, signal) => {
    const { items } = await client.resource(podsGvr).list({ namespace: stage.namespace }, signal);
    return items.length === count ? true : undefined;
  });

const ready = (sinceMs: number): Pod["status"] => ({
  phase: "Running",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(sinceMs) }],
});

describe("replicaset", () => {
  it("replicaset/5 creates what is missing, controlled by the set", async () => {
    await open();
    await createObject(stage, setsGvr, replicaSet(3));
    const set = await untilStatus((status) => status.replicas === 3);
    const pods = await listPods(stage);
    expect(pods.length).toBe(3);
    for (const pod of pods) {
      expect(pod.metadata?.generateName).toBe("web-");
      expect(pod.metadata?.ownerReferences).toEqual([
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "web",
          uid: set.metadata?.uid ?? "",
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    }
    expect(set.status).toMatchObject({
      replicas: 3,
      fullyLabeledReplicas: 3,
      observedGeneration: 1,
      terminatingReplicas: 0,
    });
  });

  it("replicaset/6 deletes what is too much, and all of it at 0", async () => {
    await open();
    await createObject(stage, setsGvr, replicaSet(5));
    await untilStatus((status) => status.replicas === 5);
    await scaleTo(2);
    await untilStatus((status) => status.replicas === 2 && status.observedGeneration === 2);
    expect((await listPods(stage)).length).toBe(2);
    await scaleTo(0);
    await untilStatus((status) => status.replicas === 0);
    expect(await listPods(stage)).toEqual([]);
  });

  it("replicaset/events tells of each pod created and deleted", async () => {
    await open();
    await createObject(stage, setsGvr, replicaSet(1));
    await untilStatus((status) => status.replicas === 1);
    const [pod] = await listPods(stage);
    await scaleTo(0);
    await untilStatus((status) => status.replicas === 0);
    await stage.pass(1000);
    const events = await listEvents(stage);
    expect(events.map(({ reason, message, type, source }) => ({ reason, message, type, source }))).toEqual([
      {
        reason: "SuccessfulCreate",
        message: `Created pod: ${pod?.metadata?.name}`,
        type: "Normal",
        source: { component: "replicaset-controller" },
      },
      {
        reason: "SuccessfulDelete",
        message: `Deleted pod: ${pod?.metadata?.name}`,
        type: "Normal",
        source: { component: "replicaset-controller" },
      },
    ]);
  });

  it("replicaset/10 counts a pod as available once it was ready for minReadySeconds", async () => {
    await open();
    await createObject(stage, setsGvr, replicaSet(1, { minReadySeconds: 30 }));
    await untilStatus((status) => status.replicas === 1);
    const [pod] = await listPods(stage);
    await setPodStatus(stage, pod?.metadata?.name ?? "", ready(stage.now()));
    const set = await untilStatus((status) => status.readyReplicas === 1);
    expect(set.status?.availableReplicas ?? 0).toBe(0);
    await stage.pass(29_000);
    expect((await getSet()).status?.availableReplicas ?? 0).toBe(0);
    await stage.pass(2_000);
    expect((await getSet()).status?.availableReplicas).toBe(1);
  });

  it("replicaset/2 a failed pod is replaced, and neither counted nor released", async () => {
    await open();
    await createObject(stage, setsGvr, replicaSet(1));
    await untilStatus((status) => status.replicas === 1);
    const [pod] = await listPods(stage);
    await setPodStatus(stage, pod?.metadata?.name ?? "", { phase: "Failed" });
    await untilPodCount(2);
    expect((await getSet()).status?.replicas).toBe(1);
  });

  it("replicaset/7 writes no status that says nothing new", async () => {
    await open();
    await createObject(stage, setsGvr, replicaSet(2));
    await untilStatus((status) => status.replicas === 2);
    await stage.pass(60_000);
    const before = (await stage.writes()).length;
    await stage.pass(600_000);
    expect((await stage.writes()).length).toBe(before);
  });

  it("workloads/S13 adopts a matching orphan instead of creating, and releases what no longer matches", async () => {
    await open();
    const orphan: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "orphan", labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "x" }] },
    };
    await createObject(stage, podsGvr, orphan);
    await createObject(stage, setsGvr, replicaSet(1));
    const set = await untilStatus((status) => status.replicas === 1);
    let pods = await listPods(stage);
    expect(pods.map((pod) => pod.metadata?.ownerReferences?.[0]?.uid)).toEqual([set.metadata?.uid]);
    await stage.do((client, signal) =>
      client
        .resource(podsGvr)
        .patch(
          {
            namespace: stage.namespace,
            name: "orphan",
            type: "merge",
            patch: { metadata: { labels: { app: "other" } } },
          },
          signal,
        ),
    );
    await untilPodCount(2);
    await stage.pass(1000);
    pods = await listPods(stage);
    expect(pods.find((pod) => pod.metadata?.name === "orphan")?.metadata?.ownerReferences ?? []).toEqual([]);
  });

  it("two runs of one seed leave the same trace", async () => {
    const run = async (): Promise<readonly string[]> => {
      stage = await embeddedStage({ controllers: ["replicaset-controller"], seed: "twice" });
      await createObject(stage, setsGvr, replicaSet(4));
      await untilStatus((status) => status.replicas === 4);
      await scaleTo(1);
      await untilStatus((status) => status.replicas === 1);
      await stage.pass(300_000);
      const { lines } = stage.world.log;
      return [...lines];
    };
    const first = await run();
    await stage.stop();
    expect(await run()).toEqual(first);
    expect(first.length).toBeGreaterThan(10);
  });
});
