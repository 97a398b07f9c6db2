// Evicted pods: how long a budget and a condition count the disruption.

import { expect } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { PodDisruptionBudgets } from "#api/generated/resources/policy-v1.ts";
import { ApiError } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import { barePod, makeReady, makeUnready, setPodStatus } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { allowedCondition, createBudget, evict, readyPods, readySet, untilCounts } from "./objects.ts";

const TIMEOUT_MS = 120_000;

/** The entry that the eviction of a pod leaves in the budget. */
async function recordEviction(stage: Stage, pod: string, sinceMs: number): Promise<void> {
  await stage.of(PodDisruptionBudgets).updateStatus("web", (budget) => ({
    ...budget,
    status: { ...budget.status, disruptedPods: { ...budget.status?.disruptedPods, [pod]: formatTime(sinceMs) } },
  }));
}

function target(reason: string, sinceMs: number) {
  const times = { lastTransitionTime: formatTime(sinceMs) };
  return { type: "DisruptionTarget", status: "True", reason, message: "planned", ...times };
}

const conditionOf = async (stage: Stage, name: string) =>
  (await stage.of(Pods).get(name)).status?.conditions?.find(({ type }) => type === "DisruptionTarget");

async function refusal(attempt: Promise<unknown>): Promise<ApiError> {
  const error = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof ApiError) return error;
  throw new Error("the server did not refuse");
}

export const evictions: readonly ScenarioText[] = [
  {
    name: "disruption/6, disruption/7, disruption/tests does not count an evicted pod as healthy, until two minutes have passed without its deletion",
    async play(stage) {
      await readyPods(stage, "one", "two", "three");
      await createBudget(stage, { minAvailable: 1 });
      await untilCounts(stage, { currentHealthy: 3, disruptionsAllowed: 2 });
      await stage.settle();
      await recordEviction(stage, "one", stage.now() - TIMEOUT_MS + 5000);
      const budget = await untilCounts(stage, { currentHealthy: 2, disruptionsAllowed: 1 });
      expect(Object.keys(budget.status?.disruptedPods ?? {})).toEqual(["one"]);
      await stage.settle();
      const { status } = await untilCounts(stage, { currentHealthy: 3, disruptionsAllowed: 2 });
      expect(status?.disruptedPods).toBeUndefined();
      const { namespace } = stage;
      const text = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      await stage.event("NotDeleted", ({ type, message }) => type === "Warning" && message === text);
    },
  },
  {
    name: "disruption/7, disruption/tests forgets evicted pods that are gone, that are being deleted or that are not its own",
    async play(stage) {
      await readyPods(stage, "one", "two");
      await stage.of(Pods).create(barePod("going", { app: "web" }, { finalizers: ["example.com/hold"] }));
      await stage.of(Pods).delete("going");
      await stage.settle();
      await createBudget(stage, { minAvailable: 1 });
      await untilCounts(stage, { expectedPods: 3, currentHealthy: 2 });
      await stage.settle();
      const since = formatTime(stage.now());
      await stage.of(PodDisruptionBudgets).updateStatus("web", (budget) => ({
        ...budget,
        status: { ...budget.status, disruptedPods: { gone: since, going: since } },
      }));
      await stage.of(PodDisruptionBudgets).until("web", ({ status }) => status?.disruptedPods === undefined);
      await stage.settle();
      await stage.of(Pods).patch("going", { metadata: { finalizers: null } });
      await untilCounts(stage, { expectedPods: 2, currentHealthy: 2 });
    },
  },
  {
    name: "disruption/7, disruption/traps, disruption/tests evicts pods until the budget is used up",
    async play(stage) {
      const [first = "", second = ""] = await readySet(stage, 2);
      await createBudget(stage, { minAvailable: 1 });
      await untilCounts(stage, { currentHealthy: 2, disruptionsAllowed: 1 });
      stage.always("one pod is ready", async (reader) => {
        const pods = await reader.of(Pods).list();
        return pods.some(({ status }) =>
          status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
        );
      });
      await stage.settle();
      await evict(stage, first);
      await stage.of(Pods).untilGone(first);
      await untilCounts(stage, { currentHealthy: 1, disruptionsAllowed: 0 });
      await stage.settle();
      const refused = await refusal(evict(stage, second));
      expect(refused.status).toMatchObject({
        code: 429,
        details: { causes: [{ message: "The disruption budget web needs 1 healthy pods and has 1 currently" }] },
      });
      const heir = await stage.until("the heir", async () =>
        (await stage.of(Pods).list()).find(({ metadata }) => metadata.name !== second),
      );
      await makeReady(stage, heir.metadata.name);
      await untilCounts(stage, { currentHealthy: 2, disruptionsAllowed: 1 });
      await stage.settle();
      await evict(stage, second);
      await stage.of(Pods).untilGone(second);
      await untilCounts(stage, { currentHealthy: 1, disruptionsAllowed: 0 });
    },
  },
  {
    name: "disruption/8, disruption/tests leaves unready pods to their policy: always evicted, or while the budget is met",
    async play(stage) {
      await readyPods(stage, "ready");
      for (const name of ["sick", "weak"]) {
        await stage.of(Pods).create(barePod(name));
        await makeUnready(stage, name);
      }
      await stage.settle();
      await createBudget(stage, { minAvailable: 2 });
      await untilCounts(stage, { expectedPods: 3, currentHealthy: 1, disruptionsAllowed: 0 });
      await stage.settle();
      expect((await refusal(evict(stage, "sick"))).status.code).toBe(429);
      await stage.of(PodDisruptionBudgets).patch("web", { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } });
      await untilCounts(stage, { observedGeneration: 2 });
      await stage.settle();
      await evict(stage, "sick");
      await stage.of(Pods).untilGone("sick");
      await untilCounts(stage, { expectedPods: 2, currentHealthy: 1 });
      await stage.settle();
      await stage
        .of(PodDisruptionBudgets)
        .patch("web", { spec: { minAvailable: 1, unhealthyPodEvictionPolicy: "IfHealthyBudget" } });
      await untilCounts(stage, { observedGeneration: 3, disruptionsAllowed: 0 });
      await stage.settle();
      await evict(stage, "weak");
      await stage.of(Pods).untilGone("weak");
      await untilCounts(stage, { expectedPods: 1, currentHealthy: 1 });
    },
  },
  {
    name: "disruption/10, disruption/traps tries again after a conflict, and does not take it for a failure",
    alone: true,
    async play(stage) {
      await readyPods(stage, "one", "two");
      await createBudget(stage, { minAvailable: 1 });
      await untilCounts(stage, { currentHealthy: 2, disruptionsAllowed: 1 });
      stage.always("no failure", async (reader) => {
        const budget = await reader.of(PodDisruptionBudgets).find("web");
        return budget === undefined || allowedCondition(budget)?.reason !== "SyncFailed";
      });
      await stage.settle();
      stage.hold(PodDisruptionBudgets);
      await stage.of(PodDisruptionBudgets).patch("web", { metadata: { labels: { changed: "yes" } } });
      await makeUnready(stage, "one");
      await stage.pass(500);
      stage.release(PodDisruptionBudgets);
      await untilCounts(stage, { currentHealthy: 1, disruptionsAllowed: 0 });
    },
  },
  {
    name: "disruption/11, disruption/writes, disruption/tests takes back a disruption that was announced and did not come",
    async play(stage) {
      await stage.of(Pods).create(barePod("one"));
      await setPodStatus(stage, "one", {
        phase: "Running",
        conditions: [target("EvictionByEvictionAPI", stage.now() - TIMEOUT_MS + 4000)],
      });
      await stage.pass(1000);
      await stage.calm(async () => expect((await conditionOf(stage, "one"))?.status).toBe("True"));
      await stage.of(Pods).until("one", ({ status }) => status?.conditions?.[0]?.status === "False");
      const { reason, message } = (await conditionOf(stage, "one")) ?? {};
      expect([reason, message]).toEqual([undefined, undefined]);
    },
  },
  {
    name: "disruption/11, disruption/tests leaves announcements of kubelets and of pods that have ended alone",
    async play(stage) {
      const since = stage.now() - TIMEOUT_MS - 10_000;
      for (const name of ["kubelet", "ended", "stale"]) await stage.of(Pods).create(barePod(name));
      await setPodStatus(stage, "kubelet", { phase: "Running", conditions: [target("TerminationByKubelet", since)] });
      await setPodStatus(stage, "ended", { phase: "Failed", conditions: [target("PreemptionByScheduler", since)] });
      await setPodStatus(stage, "stale", { phase: "Running", conditions: [target("PreemptionByScheduler", since)] });
      await stage.of(Pods).until("stale", ({ status }) => status?.conditions?.[0]?.status === "False");
      await stage.settle();
      expect((await conditionOf(stage, "kubelet"))?.status).toBe("True");
      expect((await conditionOf(stage, "ended"))?.status).toBe("True");
    },
  },
];
