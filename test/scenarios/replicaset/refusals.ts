// ReplicaSets whose pods the API server refuses.

import { expect } from "vitest";
import { Namespaces, Pods, ResourceQuotas, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { terminateNamespace } from "#test/stage/namespaces.ts";
import { callPods, podSpec } from "#test/stage/pods.ts";
import { REFUSALS, type ScenarioText } from "#test/stage/scenario.ts";
import { quotaOfPods } from "../replicas/quota.ts";
import { controls, replicaSets } from "../replicas/subject.ts";

const { objects, create, untilReplicas, untilStatus } = controls(replicaSets);
const HOLD = "example.com/hold";

export const refusals: readonly ScenarioText[] = [
  {
    name: "replicaset/9, replicaset/events a quota refuses the surplus: events and a condition say so, and the condition ends with the quota",
    async play(stage) {
      await quotaOfPods(stage, 2);
      await stage.settle();
      await objects(stage).create(replicaSets.make("web", 4));
      await stage.untilRefused(REFUSALS);
      const set = await objects(stage).until(
        "web",
        ({ status }) => (status?.conditions ?? []).length > 0 && status?.replicas === 2,
      );
      const [condition] = set.status?.conditions ?? [];
      expect(condition).toMatchObject({ type: "ReplicaFailure", status: "True", reason: "FailedCreate" });
      expect(condition?.message).toContain("exceeded quota: pods, requested: pods=1, used: pods=2, limited: pods=2");
      await stage.event("FailedCreate", ({ type }) => type === "Warning");
      await stage.settle();
      await stage.of(ResourceQuotas).delete("pods");
      await stage.of(ResourceQuotas).untilGone("pods");
      await objects(stage).patch("web", { metadata: { annotations: { again: "please" } } });
      await untilReplicas(stage, 4);
      await objects(stage).until("web", ({ status }) => (status?.conditions ?? []).length === 0);
    },
  },
  {
    name: "replicaset/9 reports a refused create in a condition, and removes it when creating works again",
    async play(stage) {
      const template = { metadata: { labels: { app: "web" } }, spec: { ...podSpec, serviceAccountName: "missing" } };
      await objects(stage).create(replicaSets.make("web", 2, { template }));
      await stage.untilRefused(REFUSALS);
      const failed = await objects(stage).until("web", ({ status }) => (status?.conditions ?? []).length > 0);
      expect(failed.status?.conditions?.[0]).toMatchObject({
        type: "ReplicaFailure",
        status: "True",
        reason: "FailedCreate",
      });
      await stage.settle();
      await stage.of(ServiceAccounts).create({ metadata: { name: "missing" } });
      await objects(stage).patch("web", { metadata: { annotations: { again: "please" } } });
      await untilReplicas(stage, 2);
      await objects(stage).until("web", ({ status }) => (status?.conditions ?? []).length === 0);
    },
  },
  {
    name: "replicaset/events, replicaset/9 refusals in the same words raise the count of one event",
    async play(stage) {
      const template = { metadata: { labels: { app: "web" } }, spec: { ...podSpec, serviceAccountName: "missing" } };
      await objects(stage).create(replicaSets.make("web", 1, { template }));
      await stage.untilRefused(REFUSALS);
      await stage.event("FailedCreate", ({ count = 0 }) => count >= REFUSALS - 1);
      await stage.settle();
      await objects(stage).patch("web", { spec: { replicas: 0 } });
      await untilStatus(stage, { observedGeneration: 2 });
    },
  },
  {
    name: "replicaset/9 pods that the namespace's security level does not allow are refused",
    async play(stage) {
      const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
      await stage.of(Namespaces).patch(stage.namespace, { metadata: { labels } });
      await objects(stage).create(replicaSets.make("web", 3));
      await stage.untilRefused(REFUSALS);
      const { status } = await objects(stage).until("web", (found) => (found.status?.conditions ?? []).length > 0);
      expect(status?.conditions?.[0]?.message).toContain("violates PodSecurity");
    },
  },
  {
    name: "replicaset/5 in a namespace that is being deleted no pod is created, and the create is not repeated",
    async play(stage) {
      await create(stage, 2, {}, { finalizers: [HOLD] });
      const [pod = ""] = await callPods(stage, "first", "second");
      await stage.settle();
      await terminateNamespace(stage);
      await stage.settle();
      await stage.of(Pods).delete(pod);
      await untilStatus(stage, { replicas: 1 });
      await stage.settle();
      expect((await stage.of(Pods).list()).length).toBe(1);
      await stage.calm(async () => {
        expect((await stage.writes()).filter(({ code }) => code === 403).length).toBe(1);
      });
      await objects(stage).patch("web", { metadata: { finalizers: null } });
    },
  },
  {
    name: "replicaset/1 a set that is being deleted creates nothing more, but keeps its status",
    async play(stage) {
      await create(stage, 2, {}, { finalizers: [HOLD] });
      const [first = ""] = await callPods(stage, "first", "second");
      await stage.settle();
      await objects(stage).delete("web", { propagationPolicy: "Background" });
      await objects(stage).patch("web", { spec: { replicas: 5 } });
      await stage.settle();
      await stage.of(Pods).delete(first);
      await untilStatus(stage, { replicas: 1 });
      await stage.settle();
      expect((await stage.of(Pods).list()).length).toBe(1);
      await objects(stage).patch("web", { metadata: { finalizers: null } });
    },
  },
];
