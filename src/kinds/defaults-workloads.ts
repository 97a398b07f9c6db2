// Defaults of the apps, batch and autoscaling groups.
// Upstream: pkg/apis/{apps/v1,batch/v1,autoscaling/v1,autoscaling/v2}/defaults.go

import {
  all,
  at,
  each,
  gated,
  inner,
  isEmpty,
  isNil,
  isObject,
  nil,
  type Rule,
  set,
  zero,
} from "#kinds/parts/defaulting.ts";
import { podTemplate } from "#kinds/pod-spec/pod-defaults.ts";
import { persistentVolumeClaim } from "#kinds/pod-spec/volume-defaults.ts";
import { labelsFrom, labelsOf } from "./defaults-core.ts";

const template: Rule = inner("template", podTemplate);

/** A rolling update's numbers, wherever the type (given or filled in) is RollingUpdate. */
const rolling = (values: Readonly<Record<string, unknown>>): Rule =>
  all(zero({ type: "RollingUpdate" }), (strategy, ctx) =>
    strategy.type === "RollingUpdate" ? inner("rollingUpdate", nil(values))(strategy, ctx) : strategy,
  );

const deployment: Rule = inner(
  "spec",
  all(
    nil({ replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
    inner("strategy", rolling({ maxUnavailable: "25%", maxSurge: "25%" })),
    template,
  ),
);

const daemonSet: Rule = inner(
  "spec",
  all(
    nil({ revisionHistoryLimit: 10 }),
    inner("updateStrategy", rolling({ maxUnavailable: 1, maxSurge: 0 })),
    template,
  ),
);

// Unlike the others, an explicit RollingUpdate without parameters stays without.
const statefulSetStrategy: Rule = all(
  (strategy, ctx) =>
    strategy.type ? strategy : all(nil({ rollingUpdate: {} }), zero({ type: "RollingUpdate" }))(strategy, ctx),
  (strategy, ctx) =>
    strategy.type === "RollingUpdate"
      ? at("rollingUpdate", all(nil({ partition: 0 }), gated("MaxUnavailableStatefulSet", nil({ maxUnavailable: 1 }))))(
          strategy,
          ctx,
        )
      : strategy,
);

const statefulSet: Rule = inner(
  "spec",
  all(
    zero({ podManagementPolicy: "OrderedReady" }),
    nil({ replicas: 1, revisionHistoryLimit: 10 }),
    inner("updateStrategy", statefulSetStrategy),
    inner("persistentVolumeClaimRetentionPolicy", zero({ whenDeleted: "Retain", whenScaled: "Retain" })),
    template,
    each("volumeClaimTemplates", persistentVolumeClaim),
  ),
);

const failurePolicy: Rule = at("podFailurePolicy", each("rules", each("onPodConditions", zero({ status: "True" }))));

const jobCounts: Rule = (spec, ctx) => {
  const both = isNil(spec.completions) && isNil(spec.parallelism);
  return nil({
    ...(both ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: isNil(spec.backoffLimitPerIndex) ? 6 : 2_147_483_647,
    completionMode: "NonIndexed",
    suspend: false,
    manualSelector: false,
  })(spec, ctx);
};

const podReplacementPolicy: Rule = gated("JobPodReplacementPolicy", (spec, ctx) =>
  nil({ podReplacementPolicy: isNil(spec.podFailurePolicy) ? "TerminatingOrFailed" : "Failed" })(spec, ctx),
);

const job: Rule = all(
  (object) => {
    const labels = isObject(object.spec) ? labelsOf(object.spec.template) : undefined;
    return labels === undefined ? object : labelsFrom(object, labels);
  },
  inner("spec", all(jobCounts, podReplacementPolicy, failurePolicy, template)),
);

const cronJob: Rule = inner(
  "spec",
  all(
    zero({ concurrencyPolicy: "Allow" }),
    nil({ suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }),
    inner("jobTemplate", inner("spec", all(failurePolicy, template))),
  ),
);

const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };
const CPU_AT_80_PERCENT = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
};

const autoscaler: Rule = inner(
  "spec",
  all(
    nil({ minReplicas: 1 }),
    (spec) => (isEmpty(spec.metrics) ? set(spec, "metrics", [CPU_AT_80_PERCENT]) : spec),
    at("behavior", all(inner("scaleUp", nil(SCALE_UP)), inner("scaleDown", nil(SCALE_DOWN)))),
  ),
);

export const APPS: Readonly<Record<string, Rule>> = {
  DaemonSet: daemonSet,
  Deployment: deployment,
  ReplicaSet: inner("spec", all(nil({ replicas: 1 }), template)),
  StatefulSet: statefulSet,
};
export const BATCH: Readonly<Record<string, Rule>> = { CronJob: cronJob, Job: job };
export const AUTOSCALING_V1: Readonly<Record<string, Rule>> = {
  HorizontalPodAutoscaler: inner("spec", nil({ minReplicas: 1 })),
};
export const AUTOSCALING_V2: Readonly<Record<string, Rule>> = { HorizontalPodAutoscaler: autoscaler };
