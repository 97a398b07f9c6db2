// The expected and healthy pods of a budget, and the controllers that it reads the number from.

import { expect } from "vitest";
import { Deployments, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { ConfigMaps, Pods, ReplicationControllers } from "#api/generated/resources/core-v1.ts";
import { PodDisruptionBudgets } from "#api/generated/resources/policy-v1.ts";
import { define } from "#test/stage/custom-resources.ts";
import { barePod, makeReady, makeUnready } from "#test/stage/pods.ts";
import { AWAY_MS, type ScenarioText } from "#test/stage/scenario.ts";
import {
  allowedCondition,
  controlledPod,
  createBudget,
  readyPods,
  readySet,
  selector,
  template,
  untilCounts,
} from "./objects.ts";

const other = { ...template, metadata: { labels: { app: "other" } } };

const FIRST = "the pod counts for the first budget of a list that has no order";

export const counting: readonly ScenarioText[] = [
  {
    name: "disruption/4, disruption/8, disruption/9, disruption/about, disruption/watches, disruption/writes, disruption/tests allows what a ReplicaSet has beyond its need, and follows readiness",
    async play(stage) {
      const [first = ""] = await readySet(stage, 3);
      await createBudget(stage, { maxUnavailable: 1 });
      const budget = await untilCounts(stage, { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3 });
      expect(budget.status).toMatchObject({ disruptionsAllowed: 1, observedGeneration: 1 });
      expect(allowedCondition(budget)).toMatchObject({ status: "True", reason: "SufficientPods", message: "" });
      await stage.settle();
      await makeUnready(stage, first);
      const strict = await untilCounts(stage, { currentHealthy: 2, disruptionsAllowed: 0 });
      expect(allowedCondition(strict)).toMatchObject({ status: "False", reason: "InsufficientPods" });
      await stage.settle();
      await makeReady(stage, first);
      await untilCounts(stage, { currentHealthy: 3, disruptionsAllowed: 1 });
    },
  },
  {
    name: "disruption/4, disruption/2, disruption/tests counts the pods themselves for an absolute minimum, whoever made them",
    async play(stage) {
      await readyPods(stage, "one", "two");
      await stage.of(Pods).create(barePod("other", { app: "other" }));
      await stage.settle();
      await createBudget(stage, { minAvailable: 1 });
      await untilCounts(stage, { expectedPods: 2, desiredHealthy: 1, currentHealthy: 2, disruptionsAllowed: 1 });
      await stage.settle();
      await stage.of(Pods).delete("one");
      await untilCounts(stage, { expectedPods: 1, currentHealthy: 1, disruptionsAllowed: 0 });
      await stage.settle();
      await stage.of(PodDisruptionBudgets).patch("web", { spec: { minAvailable: 0 } });
      await untilCounts(stage, { observedGeneration: 2, desiredHealthy: 0, disruptionsAllowed: 1 });
    },
  },
  {
    name: "disruption/4, disruption/5, disruption/tests takes a share of what a Deployment should have, rounded up",
    async play(stage) {
      await stage.of(Deployments).create({ metadata: { name: "web" }, spec: { replicas: 3, selector, template } });
      const pods = await stage.of(Pods).untilAll((all) => all.length === 3);
      for (const { metadata } of pods) await makeReady(stage, metadata.name);
      await stage.of(Deployments).until("web", ({ status }) => status?.readyReplicas === 3);
      await stage.settle();
      await createBudget(stage, { minAvailable: "50%" });
      await untilCounts(stage, { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 });
    },
  },
  {
    name: "disruption/4, disruption/5, disruption/tests adds up the sizes of all controllers that its pods have",
    async play(stage) {
      await readySet(stage, 2);
      const spec = { replicas: 1, selector, template, serviceName: "db" };
      await stage.of(StatefulSets).create({ metadata: { name: "db" }, spec });
      await stage.of(Pods).until("db-0");
      await makeReady(stage, "db-0");
      await stage.of(StatefulSets).until("db", ({ status }) => status?.readyReplicas === 1);
      const controller = { replicas: 1, selector: { app: "web", by: "rc" } };
      const labelled = { ...template, metadata: { labels: { app: "web", by: "rc" } } };
      await stage
        .of(ReplicationControllers)
        .create({ metadata: { name: "rc" }, spec: { ...controller, template: labelled } });
      await stage.of(Pods).untilAll((pods) => pods.length === 4);
      await stage.settle();
      await createBudget(stage, { maxUnavailable: "25%" });
      await untilCounts(stage, { expectedPods: 4, desiredHealthy: 3, currentHealthy: 3, disruptionsAllowed: 0 });
    },
  },
  {
    name: "disruption/3, disruption/8, disruption/tests allows nothing while it has no pods, and says so",
    async play(stage) {
      await createBudget(stage, { maxUnavailable: 1 });
      const budget = await untilCounts(stage, { observedGeneration: 1, expectedPods: 0, disruptionsAllowed: 0 });
      expect(allowedCondition(budget)).toMatchObject({ status: "False", reason: "InsufficientPods" });
      await stage.event("NoPods", ({ type, message }) => type === "Normal" && message === "No matching pods found");
    },
  },
  {
    name: "disruption/2, disruption/tests protects every pod of the namespace with an empty selector, and no pod without one",
    async play(stage) {
      await readyPods(stage, "one");
      await stage.of(Pods).create(barePod("bare", {}));
      await stage.settle();
      await createBudget(stage, { minAvailable: 1, selector: {} }, "all");
      await untilCounts(stage, { expectedPods: 2, currentHealthy: 1 }, "all");
      await stage.settle();
      await stage.of(PodDisruptionBudgets).create({ metadata: { name: "none" }, spec: { minAvailable: 1 } });
      await untilCounts(stage, { observedGeneration: 1, expectedPods: 0, desiredHealthy: 1 }, "none");
    },
  },
  {
    name: "disruption/1, disruption/tests complains about a pod that several budgets protect",
    chance: [
      {
        where: /phase [23] › .*poddisruptionbudgets [ab]|MultiplePodDisruptionBudgets|events [ab]\.|message$/,
        reason: FIRST,
      },
    ],
    async play(stage) {
      await createBudget(stage, { minAvailable: 1 }, "a");
      await createBudget(stage, { minAvailable: 1 }, "b");
      await untilCounts(stage, { observedGeneration: 1 }, "a");
      await untilCounts(stage, { observedGeneration: 1 }, "b");
      await stage.settle();
      await stage.of(Pods).create(barePod("one"));
      const text = `Pod "${stage.namespace}"/"one" matches multiple PodDisruptionBudgets.  Chose `;
      await stage.event(
        "MultiplePodDisruptionBudgets",
        ({ type, message = "" }) => type === "Warning" && message.startsWith(text),
      );
      await stage.settle();
      for (const name of ["a", "b"]) {
        await stage.of(PodDisruptionBudgets).patch(name, { metadata: { labels: { seen: "yes" } } });
        await untilCounts(stage, { expectedPods: 1 }, name);
      }
    },
  },
  {
    name: "disruption/5, disruption/tests leaves out pods that nothing controls, and says so",
    async play(stage) {
      await readySet(stage, 2);
      await stage.of(Pods).create(barePod("loose", { app: "loose" }));
      await makeReady(stage, "loose");
      await stage.settle();
      await createBudget(stage, {
        maxUnavailable: 1,
        selector: { matchExpressions: [{ key: "app", operator: "Exists" }] },
      });
      await untilCounts(stage, { expectedPods: 2, desiredHealthy: 1, currentHealthy: 3, disruptionsAllowed: 2 });
      const selected =
        "MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:app,Operator:Exists,Values:[],},}";
      await stage.event("UnmanagedPods", ({ message = "" }) => message.includes(selected));
    },
  },
  {
    name: "disruption/5, disruption/reads-live, disruption/tests asks the scale of a controller whose pods are not cached by kind",
    async play(stage) {
      const spec = { replicas: 4, paused: true, selector: { matchLabels: { app: "other" } }, template: other };
      const { uid } = (await stage.of(Deployments).create({ metadata: { name: "web" }, spec })).metadata;
      const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid };
      await controlledPod(stage, "one", owner);
      await createBudget(stage, { maxUnavailable: "75%" });
      await untilCounts(stage, { expectedPods: 4, desiredHealthy: 1, currentHealthy: 1, disruptionsAllowed: 0 });
    },
  },
  {
    name: "disruption/5, disruption/reads-live, disruption/tests asks the scale of a custom kind",
    slow: true,
    async play(stage) {
      const Widgets = await define(stage, "Widget", {
        status: {},
        scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
      });
      await stage.pass(31_000); // until the next discovery
      const widget = { metadata: { name: "web" }, spec: { replicas: 5 } };
      const { uid } = (await stage.of(Widgets).create(widget)).metadata;
      const owner = { apiVersion: `${Widgets.group}/v1`, kind: "Widget", name: "web", uid };
      await controlledPod(stage, "one", owner);
      await controlledPod(stage, "two", owner);
      await createBudget(stage, { maxUnavailable: "80%" });
      await untilCounts(stage, { expectedPods: 5, desiredHealthy: 1, currentHealthy: 2, disruptionsAllowed: 1 });
    },
  },
  {
    name: "disruption/5, disruption/10, disruption/events, disruption/tests allows nothing while a controller of its pods has no scale, and recovers with the next event",
    async play(stage) {
      const { uid } = (await stage.of(ConfigMaps).create({ metadata: { name: "boss" } })).metadata;
      await controlledPod(stage, "one", { apiVersion: "v1", kind: "ConfigMap", name: "boss", uid });
      await createBudget(stage, { maxUnavailable: 1 });
      const why = "configmaps does not implement the scale subresource";
      const budget = await stage
        .of(PodDisruptionBudgets)
        .until("web", (object) => allowedCondition(object)?.reason === "SyncFailed");
      expect(allowedCondition(budget)).toMatchObject({ status: "False", message: why });
      expect(budget.status?.disruptionsAllowed).toBe(0);
      const message = `Failed to calculate the number of expected pods: ${why}`;
      await stage.event("CalculateExpectedPodCountFailed", (event) => event.message === message);
      await stage.settle();
      await stage.of(PodDisruptionBudgets).patch("web", { spec: { maxUnavailable: null, minAvailable: 0 } });
      const recovered = await untilCounts(stage, { observedGeneration: 2, disruptionsAllowed: 1 });
      expect(allowedCondition(recovered)).toMatchObject({ status: "True", reason: "SufficientPods", message: "" });
    },
  },
  {
    name: "disruption/5, disruption/tests fails while the controller of a pod is gone",
    async play(stage) {
      const owner = {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "gone",
        uid: "11111111-2222-3333-4444-555555555555",
      };
      await stage.of(Pods).create(
        barePod("one", undefined, {
          finalizers: ["example.com/hold"],
          ownerReferences: [{ ...owner, controller: true }],
        }),
      );
      await stage.of(Pods).until("one", ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await stage.settle();
      await createBudget(stage, { minAvailable: "50%" });
      const budget = await stage
        .of(PodDisruptionBudgets)
        .until("web", (object) => allowedCondition(object)?.reason === "SyncFailed");
      expect(allowedCondition(budget)?.message).toBe('found no controllers for pod "one"');
      await stage.settle();
      await stage.of(Pods).patch("one", { metadata: { finalizers: null } });
      await untilCounts(stage, { observedGeneration: 1, expectedPods: 0 });
    },
  },
  {
    name: "disruption/4, disruption/9 counts what changed while the API server was gone",
    alone: true,
    async play(stage) {
      await readyPods(stage, "one", "two");
      await createBudget(stage, { minAvailable: 1 });
      await untilCounts(stage, { currentHealthy: 2, disruptionsAllowed: 1 });
      await stage.settle();
      await stage.outage(async () => {
        await makeUnready(stage, "one");
        await stage.pass(AWAY_MS);
      });
      await untilCounts(stage, { currentHealthy: 1, disruptionsAllowed: 0 });
    },
  },
];
