// ReplicationController behaviour: the differences from ReplicaSet, and the cases that both share.

import { expect } from "vitest";
import { Pods, ReplicationControllers } from "#api/generated/resources/core-v1.ts";
import { barePod, bind, callPods, makeReady, ownerUid } from "#test/stage/pods.ts";
import { REFUSALS, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { replicaCases } from "../replicas/cases.ts";
import { quotaOfPods } from "../replicas/quota.ts";
import { survivorAmongSiblings } from "../replicas/siblings.ts";
import { controls, replicaSets, replicationControllers } from "../replicas/subject.ts";

const { objects, create, scale, untilReplicas, untilStatus } = controls(replicationControllers);
const sets = controls(replicaSets);

export const scenarios: readonly Scenario[] = scenariosOf("replicationcontroller-controller", { cast: "workloads" }, [
  {
    name: "replicationcontroller/1, replicationcontroller/events owns its pods as a v1 ReplicationController, and events are about it",
    async play(stage) {
      const { uid } = (await create(stage, 1)).metadata;
      const [pod = ""] = await callPods(stage, "first");
      const { metadata } = await stage.of(Pods).get(pod);
      expect(metadata.ownerReferences?.[0]).toMatchObject({ apiVersion: "v1", kind: "ReplicationController", uid });
      await stage.event(
        "SuccessfulCreate",
        ({ involvedObject, source, message }) =>
          `${involvedObject.apiVersion} ${involvedObject.kind} ${involvedObject.name}` ===
            "v1 ReplicationController web" &&
          source?.component === "replication-controller" &&
          message === `Created pod: ${pod}`,
      );
      await stage.settle();
      await scale(stage, 0);
      await stage.event("SuccessfulDelete", ({ message }) => message === `Deleted pod: ${pod}`);
    },
  },
  {
    name: "replicationcontroller/8 scales 0, 5, 2, 0",
    async play(stage) {
      await create(stage, 0);
      for (const replicas of [5, 2, 0]) {
        await stage.settle();
        await scale(stage, replicas);
        expect((await stage.of(Pods).list()).length).toBe(replicas);
      }
    },
  },
  {
    name: "replicationcontroller/2 its selector is a plain map: orphans are adopted, a pod without the label is released",
    async play(stage) {
      await stage.of(Pods).create(barePod("orphan"));
      await stage.settle();
      const { uid } = (await create(stage, 1)).metadata;
      expect((await stage.of(Pods).list()).map(ownerUid)).toEqual([uid]);
      await stage.settle();
      await stage.of(Pods).patch("orphan", { metadata: { labels: { app: null } } });
      const pods = await stage
        .of(Pods)
        .untilAll((all) => all.length === 2 && all.some((pod) => ownerUid(pod) === undefined));
      expect(pods.filter((pod) => ownerUid(pod) === undefined).map(({ metadata }) => metadata.name)).toEqual([
        "orphan",
      ]);
    },
  },
  {
    name: "replicationcontroller/2 its selector defaults to the template's labels, and a relabelled pod is released",
    async play(stage) {
      const { spec, ...rest } = replicationControllers.make("web", 2);
      const { selector: _, ...withoutSelector } = spec ?? {};
      await objects(stage).create({ ...rest, spec: withoutSelector });
      await untilReplicas(stage, 2);
      const [released = ""] = await callPods(stage, "released", "kept");
      await stage.settle();
      await stage.of(Pods).patch(released, { metadata: { labels: { app: "debug" } } });
      await stage.of(Pods).untilAll((pods) => pods.length === 3);
      await untilReplicas(stage, 2);
    },
  },
  {
    name: "replicationcontroller/8 adopts a matching orphan, and replaces a pod that is deleted gracefully",
    async play(stage) {
      await stage.of(Pods).create(barePod("first"));
      await stage.settle();
      await create(stage, 2);
      await bind(stage, "first", "node-1");
      await stage.settle();
      await stage.of(Pods).delete("first");
      await stage.of(Pods).untilAll((pods) => pods.length === 3);
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
    name: "replicationcontroller/4 deletes the younger pod first, whatever other pods are on the nodes",
    async play(stage) {
      expect(await survivorAmongSiblings(stage, replicationControllers)).toBe("crowded");
    },
  },
  {
    name: "replicationcontroller/7, replicationcontroller/tests pods of a much greater age stay",
    async play(stage) {
      await create(stage, 2);
      const before = await callPods(stage, "old-1", "old-2");
      await stage.pass(4_000);
      await scale(stage, 3);
      await stage.settle();
      await scale(stage, 2);
      expect((await stage.of(Pods).list()).map(({ metadata }) => metadata.name)).toEqual(before.toSorted());
    },
  },
  {
    name: "replicationcontroller/traps, replicationcontroller/tests, replicationcontroller/3 a quota shows as a condition, which goes when there is room again",
    async play(stage) {
      await quotaOfPods(stage, 1);
      await stage.settle();
      await objects(stage).create(replicationControllers.make("web", 3));
      await stage.untilRefused(REFUSALS);
      const failed = await objects(stage).until(
        "web",
        ({ status }) => (status?.conditions ?? []).length > 0 && status?.replicas === 1,
      );
      expect(failed.status?.conditions).toMatchObject([
        { type: "ReplicaFailure", status: "True", reason: "FailedCreate" },
      ]);
      await stage.event("FailedCreate", ({ type }) => type === "Warning");
      await stage.settle();
      await objects(stage).patch("web", { spec: { replicas: 1 } });
      const mended = await objects(stage).until("web", ({ status }) => (status?.conditions ?? []).length === 0);
      // The selector is still a map, and no annotation stores it.
      expect([mended.spec?.selector, mended.metadata.annotations]).toEqual([{ app: "web" }, undefined]);
    },
  },
  {
    name: "replicationcontroller/6 being deleted it creates nothing, but its status goes on; minReadySeconds count",
    async play(stage) {
      await create(stage, 1, { minReadySeconds: 4 }, { finalizers: ["example.com/hold"] });
      const [pod = ""] = await callPods(stage, "first");
      await stage.settle();
      await makeReady(stage, pod);
      await untilStatus(stage, { readyReplicas: 1 });
      await stage.settle();
      await untilStatus(stage, { availableReplicas: 1 });
      await stage.settle();
      await objects(stage).delete("web", { propagationPolicy: "Background" });
      await stage.settle();
      await stage.of(Pods).delete(pod);
      await untilStatus(stage, { replicas: 0 });
      await stage.settle();
      expect(await stage.of(Pods).list()).toEqual([]);
      await objects(stage).patch("web", { metadata: { finalizers: null } });
      await objects(stage).untilGone("web");
    },
  },
  {
    name: "replicationcontroller/2 a ReplicationController and a ReplicaSet with the same selector leave each other's pods alone",
    async play(stage) {
      await sets.create(stage, 2);
      await stage.settle();
      await create(stage, 1);
      expect((await stage.of(Pods).list()).length).toBe(3);
      expect((await stage.of(ReplicationControllers).get("web")).status?.replicas).toBe(1);
    },
  },
  ...replicaCases(replicationControllers),
]);
