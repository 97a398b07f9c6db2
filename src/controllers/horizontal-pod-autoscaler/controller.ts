/**
 * Scales workloads by their metrics.
 *
 * Keeps true:  spec.replicas of the target of each HorizontalPodAutoscaler is the size that its metrics require,
 *              between minReplicas and maxReplicas, as fast as its behaviour allows and not below the recommendations
 *              of its windows; its status has the size, the metrics and the reason for a limit.
 * Requeues:    each autoscaler every --horizontal-pod-autoscaler-sync-period; a new one also waits for it.
 * Upstream:    pkg/controller/podautoscaler; k8s.io/metrics/pkg/client.
 * Deviations:  an autoscaler that shares pods with others lists them sorted by name.
 */

import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { objectKey } from "#api/object.ts";
import { until } from "#base/wait.ts";
import { anyResource, events, get, list, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { Scales } from "#kit/scales.ts";
import { eventCause } from "#kit/trace.ts";
import { fixedIntervalLimiter } from "#workqueue/rate-limiters.ts";
import { registerAutoscalerMetrics } from "./metrics.ts";
import { MetricsApi, metricsApis } from "./metrics-api.ts";
import type { Autoscaler, AutoscalerSettings, Deps } from "./model.ts";
import { syncAutoscaler } from "./sync.ts";
import { TargetSelectors } from "./target-selectors.ts";

export interface AutoscalerOptions extends AutoscalerSettings {
  /** --concurrent-horizontal-pod-autoscaler-syncs */
  readonly workers: number;
  /** --horizontal-pod-autoscaler-sync-period */
  readonly syncPeriodMs: number;
}

export const horizontalPodAutoscalerController: ControllerDescriptor<AutoscalerOptions> = keyedController({
  name: "horizontal-pod-autoscaler-controller",
  contract: {
    watches: [HorizontalPodAutoscalers, Pods],
    reads: [
      get(anyResource, "scale"),
      list(metricsApis.resource),
      get(metricsApis.custom, "*"),
      list(metricsApis.external),
    ],
    writes: [update(anyResource, "scale"), update(HorizontalPodAutoscalers, "status"), ...events],
  },
  build(parts, { workers, syncPeriodMs, ...settings }) {
    const { client, context, log } = parts;
    const { clock, gates, restMapper } = context;
    const deps: Deps = {
      clock,
      rng: context.rng.fork("autoscaler-conflicts"),
      log,
      gates,
      settings,
      metrics: registerAutoscalerMetrics(context.metrics),
      recorder: parts.recorder(),
      autoscalers: parts.informer(HorizontalPodAutoscalers),
      pods: parts.informer(Pods),
      autoscalersApi: client.resource(HorizontalPodAutoscalers),
      scales: new Scales(client, restMapper),
      restMapper,
      metricsApi: new MetricsApi(client, restMapper, log),
      selectors: new TargetSelectors(),
      histories: new Map(),
    };
    const queue = parts.queue({
      name: "horizontalpodautoscaler",
      rateLimiter: fixedIntervalLimiter(syncPeriodMs),
    });
    const enqueue = (event: "add" | "update", autoscaler: Autoscaler): void => {
      const key = objectKey(autoscaler);
      queue.addRateLimited(key, eventCause(HorizontalPodAutoscalers, event, autoscaler));
      if (deps.selectors.register(key)) deps.metrics.autoscalers.add(1);
    };
    parts.handle(
      deps.autoscalers,
      {
        onAdd: (autoscaler) => enqueue("add", autoscaler),
        onUpdate: (_, autoscaler) => enqueue("update", autoscaler),
        onDelete(autoscaler) {
          const key = objectKey(autoscaler);
          queue.forget(key);
          deps.selectors.forget(key);
          deps.metrics.autoscalers.add(-1);
        },
      },
      { resyncPeriodMs: syncPeriodMs },
    );
    parts.fromStart((signal) => until(() => deps.metricsApi.forgetVersion(), syncPeriodMs, clock, signal));
    parts.work({ queue, workers, sync: (key, signal) => syncAutoscaler(key, deps, signal) });
  },
});
