// What ReplicationControllers must do, as scenarios for both stages. The engine is ReplicaSet's; these
// are the places where the kinds differ, and the proof that the engine works for this kind too.

import { expect } from "vitest";
import { Pods, ReplicationControllers, ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import type { Pod, ReplicationController } from "#api/generated/types/core-v1.ts";
import type { Draft, Stored } from "#api/resource.ts";
import { barePod, labelPod, listPods, makeReady, nameOf, ownerUid, untilPods } from "./pod-steps.ts";
import { survivorAmongSiblings } from "./replica-siblings.ts";
import { replicationControllers } from "./replica-subject.ts";
import { untilQuotaCounts } from "./replicaset.ts";
import type { Scenario, Stage } from "./stage.ts";
import { createObject, untilEvent } from "./steps.ts";

function controller(replicas: number, minReadySeconds = 0): Draft<Stored<ReplicationController>> {
  const labels = { app: "web" };
  return {
    metadata: { name: "web" },
    spec: {
      replicas,
      minReadySeconds,
      selector: labels,
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } },
    },
  };
}

function until(stage: Stage, test: (found: ReplicationController) => boolean): Promise<ReplicationController> {
  return stage.until(async (client, signal) => {
    const found = await client
      .resource(ReplicationControllers)
      .get({ namespace: stage.namespace, name: "web" }, signal);
    return test(found) ? found : undefined;
  });
}

async function create(stage: Stage, replicas: number, minReadySeconds = 0): Promise<ReplicationController> {
  await createObject(stage, ReplicationControllers, controller(replicas, minReadySeconds));
  return until(stage, ({ status }) => status?.replicas === replicas && status.observedGeneration === 1);
}

async function patch(stage: Stage, change: object): Promise<void> {
  await stage.do((client, signal) =>
    client
      .resource(ReplicationControllers)
      .patch({ namespace: stage.namespace, name: "web", type: "merge", patch: change }, signal),
  );
}

export const scenarios: readonly Scenario[] = [
  {
    name: "replicationcontroller/1 owns its pods as a v1 ReplicationController, and events are about it",
    async play(stage) {
      const found = await create(stage, 2);
      const pods = await listPods(stage);
      for (const pod of pods) {
        expect(pod.metadata?.ownerReferences?.[0]).toMatchObject({
          apiVersion: "v1",
          kind: "ReplicationController",
          uid: found.metadata?.uid ?? "",
        });
      }
      const event = await untilEvent(stage, ({ reason }) => reason === "SuccessfulCreate");
      expect(event.involvedObject).toMatchObject({ apiVersion: "v1", kind: "ReplicationController", name: "web" });
      expect(event.source?.component).toBe("replication-controller");
    },
  },
  {
    name: "replicationcontroller/8 scales down to nothing and up again",
    async play(stage) {
      await create(stage, 3);
      await patch(stage, { spec: { replicas: 0 } });
      await until(stage, ({ status }) => status?.replicas === 0 && status.observedGeneration === 2);
      expect(await listPods(stage)).toEqual([]);
      await patch(stage, { spec: { replicas: 2 } });
      await untilPods(stage, (pods) => pods.length === 2);
    },
  },
  {
    name: "replicationcontroller/2 its selector is a plain map: orphans are adopted, strangers released",
    async play(stage) {
      await createObject(stage, Pods, barePod("orphan"));
      const found = await create(stage, 1);
      const [orphan] = (await listPods(stage)) as [Pod];
      expect(ownerUid(orphan)).toBe(found.metadata?.uid as string);
      await labelPod(stage, orphan, { app: null });
      const pods = await untilPods(stage, (all) => all.length === 2 && all.some((pod) => ownerUid(pod) === undefined));
      expect(pods.filter((pod) => ownerUid(pod) === undefined).map(nameOf)).toEqual(["orphan"]);
    },
  },
  {
    name: "replicationcontroller/3 never reports terminating pods",
    async play(stage) {
      const { status } = await create(stage, 1);
      expect(status).not.toHaveProperty("terminatingReplicas");
    },
  },
  {
    name: "replicationcontroller/4 loses the younger pod first, whatever company it or the other has",
    async play(stage) {
      expect(await survivorAmongSiblings(stage, replicationControllers)).toBe("crowded");
    },
  },
  {
    name: "replicationcontroller/7, replicationcontroller/tests pods of a much greater age stay",
    async play(stage) {
      await create(stage, 2);
      const before = (await listPods(stage)).map(nameOf).sort();
      await stage.pass(4_000);
      await patch(stage, { spec: { replicas: 3 } });
      await until(stage, ({ status }) => status?.replicas === 3);
      await patch(stage, { spec: { replicas: 2 } });
      await until(stage, ({ status }) => status?.replicas === 2 && status.observedGeneration === 3);
      expect((await listPods(stage)).map(nameOf).sort()).toEqual(before);
    },
  },
  {
    name: "replicationcontroller/traps, replicationcontroller/tests, replicationcontroller/3 a quota shows as a condition, which goes when there is room again",
    async play(stage) {
      await createObject(stage, ResourceQuotas, {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "two" },
        spec: { hard: { pods: "2" } },
      });
      await untilQuotaCounts(stage);
      await createObject(stage, ReplicationControllers, controller(3));
      const failed = await until(
        stage,
        ({ status }) => (status?.conditions ?? []).length > 0 && status?.replicas === 2,
      );
      expect(failed.status?.conditions).toMatchObject([
        { type: "ReplicaFailure", status: "True", reason: "FailedCreate" },
      ]);
      await untilEvent(stage, ({ reason, type }) => reason === "FailedCreate" && type === "Warning");
      await patch(stage, { spec: { replicas: 2 } });
      const mended = await until(stage, ({ status }) => (status?.conditions ?? []).length === 0);
      // The selector came through as the map it is, and nothing was noted down about it.
      expect([mended.spec?.selector, mended.metadata?.annotations]).toEqual([{ app: "web" }, undefined]);
    },
  },
  {
    name: "replicationcontroller/events tells of each pod created and deleted, about the controller itself",
    async play(stage) {
      await create(stage, 1);
      const [pod] = (await listPods(stage)) as [Pod];
      await patch(stage, { spec: { replicas: 0 } });
      const deleted = await untilEvent(stage, ({ reason }) => reason === "SuccessfulDelete");
      const created = await untilEvent(stage, ({ reason }) => reason === "SuccessfulCreate");
      const facts = [created, deleted].map(({ involvedObject, source, type, message }) =>
        [involvedObject.kind, source?.component, type, message].join(" "),
      );
      expect(facts).toEqual([
        `ReplicationController replication-controller Normal Created pod: ${nameOf(pod)}`,
        `ReplicationController replication-controller Normal Deleted pod: ${nameOf(pod)}`,
      ]);
    },
  },
  {
    name: "replicationcontroller/6 being deleted it creates nothing, but its status goes on; minReadySeconds count",
    async play(stage) {
      await create(stage, 1, 3);
      const [pod] = (await listPods(stage)) as [Pod];
      await makeReady(stage, pod);
      await until(stage, ({ status }) => status?.availableReplicas === 1);
      await patch(stage, { metadata: { finalizers: ["example.com/hold"] } });
      const options = { propagationPolicy: "Background" };
      await stage.do((client, signal) =>
        client.resource(ReplicationControllers).delete({ namespace: stage.namespace, name: "web", options }, signal),
      );
      await stage.do((client, signal) =>
        client.resource(Pods).delete({ namespace: stage.namespace, name: nameOf(pod) }, signal),
      );
      await until(stage, ({ status }) => status?.replicas === 0);
      expect(await listPods(stage)).toEqual([]);
      await patch(stage, { metadata: { finalizers: null } });
    },
  },
];
