// What ReplicaSets must do, as scenarios: each is played on the embedded server under the virtual clock
// and on a real kube-apiserver (test/real/replicaset.test.ts). Names start with the parity id.

import { expect } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Namespaces, Pods, ResourceQuotas, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import {
  annotatePod,
  barePod,
  deletePod,
  labelPod,
  listPods,
  makeReady,
  nameOf,
  ownerUid,
  untilPods,
} from "./pod-steps.ts";
import { createSet, getSet, patchSet, replicaSet, scaleTo, untilReplicas, untilSet } from "./replica-objects.ts";
import type { Scenario, Stage } from "./stage.ts";
import { createObject, listEvents, untilEvent } from "./steps.ts";

const deleteSet = (stage: Stage, propagationPolicy: "Orphan" | "Background"): Promise<unknown> =>
  stage.do((client, signal) =>
    client
      .resource(ReplicaSets)
      .delete({ namespace: stage.namespace, name: "web", options: { propagationPolicy } }, signal),
  );

export const scenarios: readonly Scenario[] = [
  {
    name: "replicaset/5 creates what is missing, controlled by the set",
    async play(stage) {
      const set = await createSet(stage, 3);
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
      expect(set.status).toMatchObject({ replicas: 3, fullyLabeledReplicas: 3, observedGeneration: 1 });
    },
  },
  {
    name: "replicaset/6 scales 0 to 50 to 5 to 0 without a surplus pod",
    async play(stage) {
      await createSet(stage, 0);
      await scaleTo(stage, 50);
      expect((await listPods(stage)).length).toBe(50);
      await scaleTo(stage, 5);
      expect((await listPods(stage)).length).toBe(5);
      await scaleTo(stage, 0);
      expect(await listPods(stage)).toEqual([]);
      const posts = (await stage.writes()).filter(({ method, resource }) => method === "POST" && resource === "pods");
      expect(posts.length).toBe(50);
    },
  },
  {
    name: "replicaset/events tells of each pod created and deleted",
    async play(stage) {
      await createSet(stage, 1);
      const [pod] = await listPods(stage);
      await scaleTo(stage, 0);
      await untilEvent(stage, ({ reason }) => reason === "SuccessfulDelete");
      const events = await listEvents(stage);
      const facts = events.map(({ reason, message, type, source, involvedObject }) => ({
        reason,
        message,
        type,
        component: source?.component,
        about: involvedObject.kind,
      }));
      const common = { type: "Normal", component: "replicaset-controller", about: "ReplicaSet" };
      expect(facts).toContainEqual({
        ...common,
        reason: "SuccessfulCreate",
        message: `Created pod: ${nameOf(pod as Pod)}`,
      });
      expect(facts).toContainEqual({
        ...common,
        reason: "SuccessfulDelete",
        message: `Deleted pod: ${nameOf(pod as Pod)}`,
      });
    },
  },
  {
    name: "replicaset/4 replaces a deleted pod",
    async play(stage) {
      await createSet(stage, 2);
      const [first] = await listPods(stage);
      await deletePod(stage, first as Pod);
      await untilPods(stage, (pods) => pods.length === 2 && !pods.some((pod) => nameOf(pod) === nameOf(first as Pod)));
      await untilReplicas(stage, 2);
    },
  },
  {
    name: "workloads/S13 adopts a matching orphan instead of creating, and releases what no longer matches",
    async play(stage) {
      await createObject(stage, Pods, barePod("orphan"));
      const set = await createSet(stage, 1);
      const [orphan] = await listPods(stage);
      expect([nameOf(orphan as Pod), ownerUid(orphan as Pod)]).toEqual(["orphan", set.metadata?.uid]);
      await labelPod(stage, orphan as Pod, { app: "other" });
      const pods = await untilPods(
        stage,
        (found) => found.length === 2 && found.some((pod) => ownerUid(pod) === undefined),
      );
      expect(pods.filter((pod) => ownerUid(pod) === undefined).map(nameOf)).toEqual(["orphan"]);
    },
  },
  {
    name: "workloads/S13 leaves pods of other controllers alone",
    async play(stage) {
      const foreign = barePod("foreign");
      const ownerReferences = [{ apiVersion: "v1", kind: "Thing", name: "x", uid: "0b1", controller: true }];
      await createObject(stage, Pods, { ...foreign, metadata: { ...foreign.metadata, ownerReferences } });
      await createSet(stage, 1);
      expect((await listPods(stage)).length).toBe(2);
    },
  },
  {
    name: "replicaset/10 counts a pod as available once it was ready for minReadySeconds",
    async play(stage) {
      await createSet(stage, 1, { minReadySeconds: 4 });
      const [pod] = await listPods(stage);
      await makeReady(stage, pod as Pod);
      const set = await untilSet(stage, ({ status }) => status?.readyReplicas === 1);
      expect(set.status?.availableReplicas ?? 0).toBe(0);
      await untilSet(stage, ({ status }) => status?.availableReplicas === 1);
    },
  },
  {
    name: "replicaset/10 looks again on its own when minReadySeconds were raised after the pod was ready",
    async play(stage) {
      await createSet(stage, 1);
      const [pod] = await listPods(stage);
      await makeReady(stage, pod as Pod);
      await untilSet(stage, ({ status }) => status?.availableReplicas === 1);
      await patchSet(stage, { spec: { minReadySeconds: 4 } });
      await untilSet(stage, ({ status }) => status?.observedGeneration === 2 && (status.availableReplicas ?? 0) === 0);
      await untilSet(stage, ({ status }) => status?.availableReplicas === 1);
    },
  },
  {
    name: "replicaset/4 an orphan that appears later is adopted, and the surplus goes",
    async play(stage) {
      const set = await createSet(stage, 1);
      const [own] = await listPods(stage);
      await makeReady(stage, own as Pod);
      await untilSet(stage, ({ status }) => status?.readyReplicas === 1);
      await createObject(stage, Pods, barePod("late"));
      const pods = await untilPods(stage, (found) => found.length === 1);
      expect(pods.map((pod) => [nameOf(pod), ownerUid(pod)])).toEqual([[nameOf(own as Pod), set.metadata?.uid]]);
    },
  },
  {
    name: "replicaset/7 a pod's change that the status does not show writes no status",
    async play(stage) {
      await createSet(stage, 1);
      const statusWrites = async (): Promise<number> =>
        (await stage.writes()).filter(({ resource }) => resource === "replicasets/status").length;
      await stage.pass(200);
      const before = await statusWrites();
      const [pod] = await listPods(stage);
      for (const note of ["1", "2", "3"]) await annotatePod(stage, pod as Pod, { note });
      await stage.pass(300);
      expect(await statusWrites()).toBe(before);
    },
  },
  {
    name: "replicaset/9 reports a refused create in a condition, and removes it when creating works again",
    async play(stage) {
      const template = replicaSet(1).spec?.template;
      const broken = { ...template, spec: { ...template?.spec, serviceAccountName: "missing" } };
      await createObject(stage, ReplicaSets, replicaSet(2, { template: broken } as never));
      const failed = await untilSet(stage, ({ status }) => (status?.conditions ?? []).length > 0);
      expect(failed.status?.conditions?.[0]).toMatchObject({
        type: "ReplicaFailure",
        status: "True",
        reason: "FailedCreate",
      });
      await untilEvent(stage, ({ reason, type }) => reason === "FailedCreate" && type === "Warning");
      await createObject(stage, ServiceAccounts, {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "missing" },
      });
      const mended = await untilReplicas(stage, 2);
      await untilSet(stage, ({ status }) => (status?.conditions ?? []).length === 0);
      expect(mended.status?.replicas).toBe(2);
    },
  },
  {
    name: "workloads/S8 a set recreated under the same name adopts the orphans of the old one",
    async play(stage) {
      await createSet(stage, 2);
      const before = (await listPods(stage)).map(nameOf).sort();
      await deleteSet(stage, "Orphan");
      await orphanPods(stage);
      const set = await createSet(stage, 2);
      const pods = await untilPods(stage, (found) => found.every((pod) => ownerUid(pod) === set.metadata?.uid));
      expect(pods.map(nameOf).sort()).toEqual(before);
    },
  },
  {
    name: "replicaset/1 a set that is being deleted creates nothing more, but keeps its status",
    async play(stage) {
      await createSet(stage, 1);
      await patchSet(stage, { metadata: { finalizers: ["example.com/hold"] } });
      await deleteSet(stage, "Background");
      const [pod] = await listPods(stage);
      await deletePod(stage, pod as Pod);
      await untilSet(stage, ({ status }) => status?.replicas === 0);
      await stage.pass(300);
      expect(await listPods(stage)).toEqual([]);
      await patchSet(stage, { metadata: { finalizers: null } });
    },
  },
  {
    name: "replicaset/8 a status write that meets a conflict is repeated on the newest object",
    async play(stage) {
      await createObject(stage, ReplicaSets, replicaSet(3));
      await patchSet(stage, { metadata: { annotations: { touched: "1" } } });
      await patchSet(stage, { metadata: { annotations: { touched: "2" } } });
      await untilReplicas(stage, 3);
      expect((await getSet(stage)).metadata?.annotations).toEqual({ touched: "2" });
    },
  },
  {
    name: "replicaset/9 a quota refuses what is too much: the condition says so, and it ends with the quota",
    async play(stage) {
      await createObject(stage, ResourceQuotas, {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "two" },
        spec: { hard: { pods: "2" } },
      });
      await untilQuotaCounts(stage);
      await createObject(stage, ReplicaSets, replicaSet(4));
      const set = await untilSet(
        stage,
        ({ status }) => (status?.conditions ?? []).length > 0 && status?.replicas === 2,
      );
      expect(set.status?.conditions?.[0]?.message).toContain(
        "exceeded quota: two, requested: pods=1, used: pods=2, limited: pods=2",
      );
      await stage.pass(2_000);
      const tries = (await stage.writes()).filter(({ code, method }) => method === "POST" && code === 403).length;
      expect(tries).toBeLessThan(30); // back-off between them
      await stage.do((client, signal) =>
        client.resource(ResourceQuotas).delete({ namespace: stage.namespace, name: "two" }, signal),
      );
      await untilReplicas(stage, 4);
      await untilSet(stage, ({ status }) => (status?.conditions ?? []).length === 0);
    },
  },
  {
    name: "replicaset/5 in a namespace that is being deleted nothing is created, and nobody insists",
    async play(stage) {
      await createSet(stage, 2);
      await patchSet(stage, { metadata: { finalizers: ["example.com/hold"] } });
      await stage.do((client, signal) => client.resource(Namespaces).delete({ name: stage.namespace }, signal));
      await deletePods(stage);
      await stage.pass(500);
      const refused = (await stage.writes()).filter(({ method, code }) => method === "POST" && code === 403);
      expect(refused.length).toBeLessThan(20);
      expect(await listPods(stage)).toEqual([]);
      await patchSet(stage, { metadata: { finalizers: null } });
    },
  },
];

/** What the garbage collector does after a deletion with the orphan policy, where it is not running. */
async function orphanPods(stage: Stage): Promise<void> {
  const isGone = await stage.do(async (client, signal) => {
    const { items } = await client.resource(ReplicaSets).list({ namespace: stage.namespace }, signal);
    return items.length === 0;
  });
  if (isGone) return;
  for (const pod of await listPods(stage)) {
    await stage.do((client, signal) =>
      client.resource(Pods).patch(
        {
          namespace: stage.namespace,
          name: nameOf(pod),
          type: "merge",
          patch: { metadata: { ownerReferences: null } },
        },
        signal,
      ),
    );
  }
  await patchSet(stage, { metadata: { finalizers: null } }).catch(() => undefined);
}

/** What the quota controller does, where it is not running: count what is there. */
export async function untilQuotaCounts(stage: Stage): Promise<void> {
  await stage.pass(500);
  await stage.do(async (client, signal) => {
    const quotas = client.resource(ResourceQuotas);
    const { status } = await quotas.get({ namespace: stage.namespace, name: "two" }, signal);
    if (status?.used !== undefined) return;
    const patch = { status: { hard: { pods: "2" }, used: { pods: "0" } } };
    await quotas.patch(
      { namespace: stage.namespace, name: "two", type: "merge", patch, subresource: "status" },
      signal,
    );
  });
}

/** What the namespace controller does, where it is not running: empty the namespace. */
async function deletePods(stage: Stage): Promise<void> {
  await stage.do((client, signal) => client.resource(Pods).deleteCollection({ namespace: stage.namespace }, signal));
}
