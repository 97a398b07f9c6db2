/**
 * Maintains the status of disruption budgets, by which the API server allows or refuses evictions.
 *
 * Keeps true:  the status of each PodDisruptionBudget has its healthy pods, the healthy pods that it needs and the
 *              disruptions that it allows; a budget that cannot be computed allows none. An evicted pod that is not
 *              being deleted counts again after two minutes. A DisruptionTarget condition without a disruption becomes
 *              False after two minutes.
 * Requeues:    when an expected deletion is overdue, and when a DisruptionTarget condition is stale.
 * Deviations:  of several budgets that match a pod, the first by name is synced; Go's choice is random.
 * Upstream:    pkg/controller/disruption.
 */

import { Deployments, ReplicaSets, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { Pods, ReplicationControllers } from "#api/generated/resources/core-v1.ts";
import { PodDisruptionBudgets } from "#api/generated/resources/policy-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import { anyResource, events, get, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { parsedSelectors } from "#kit/parsed-selectors.ts";
import { Scales } from "#kit/scales.ts";
import { done } from "#kit/worker-loop.ts";
import type { Budget, Deps } from "./model.ts";
import { syncStaleTarget } from "./stale-targets.ts";
import { syncBudget } from "./sync.ts";
import { podTriggers } from "./triggers.ts";

export const disruptionController: ControllerDescriptor = keyedController({
  name: "disruption-controller",
  contract: {
    watches: [PodDisruptionBudgets, Pods, ReplicationControllers, ReplicaSets, Deployments, StatefulSets],
    // Of controllers of pods that are not of the watched kinds.
    reads: [get(anyResource, "scale")],
    writes: [update(PodDisruptionBudgets, "status"), update(Pods, "status"), ...events],
  },
  build(parts) {
    const { client, context, log } = parts;
    const { clock, gates, restMapper } = context;
    const queue = parts.queue({ name: "disruption" });
    const rechecks = parts.queue({ name: "disruption_recheck" });
    const stalePods = parts.queue({ name: "stale_pod_disruption" });
    const deps: Deps = {
      clock,
      log,
      gates,
      recorder: parts.recorder("controllermanager"),
      budgets: parts.informer(PodDisruptionBudgets),
      pods: parts.informer(Pods),
      workloads: {
        replicationControllers: parts.informer(ReplicationControllers),
        replicaSets: parts.informer(ReplicaSets),
        deployments: parts.informer(Deployments),
        statefulSets: parts.informer(StatefulSets),
      },
      budgetsApi: client.resource(PodDisruptionBudgets),
      podsApi: client.resource(Pods),
      restMapper,
      scales: new Scales(client, restMapper),
      rechecks,
    };
    const selectorOf = parsedSelectors(({ spec }: Budget) => selectorFromObject(spec?.selector));
    parts.handle(deps.pods, podTriggers({ ...deps, selectorOf, queue, stalePods }));
    parts.enqueue(deps.budgets, queue, {});
    parts.work({ queue, sync: (key, signal) => syncBudget(key, deps, signal) });
    parts.work({ queue: stalePods, sync: (key, signal) => syncStaleTarget(key, deps, signal) });
    parts.work({
      queue: rechecks,
      async sync(key) {
        queue.addRateLimited(key, { kind: "timer", afterMs: 0, reason: "an expected deletion is overdue" });
        return done;
      },
    });
  },
});
