// Flags of the controllers of workloads.

import { duration, float64, int32 } from "../../flags/flag-types.ts";
import { at, type BoundFlag, workers } from "./bound-flag.ts";

export const workloadFlags: Readonly<Record<string, readonly BoundFlag[]>> = {
  deployment: [
    at(
      "concurrent-deployment-syncs",
      int32,
      "config.DeploymentController.ConcurrentDeploymentSyncs",
      workers("Deployments"),
    ),
  ],
  statefulset: [
    at(
      "concurrent-statefulset-syncs",
      int32,
      "config.StatefulSetController.ConcurrentStatefulSetSyncs",
      workers("StatefulSets"),
    ),
  ],
  daemonset: [
    at(
      "concurrent-daemonset-syncs",
      int32,
      "config.DaemonSetController.ConcurrentDaemonSetSyncs",
      workers("DaemonSets"),
    ),
  ],
  "horizontal-pod-autoscaler": [
    at(
      "concurrent-horizontal-pod-autoscaler-syncs",
      int32,
      "config.HPAController.ConcurrentHorizontalPodAutoscalerSyncs",
      workers("HorizontalPodAutoscalers"),
    ),
    at(
      "horizontal-pod-autoscaler-sync-period",
      duration,
      "config.HPAController.HorizontalPodAutoscalerSyncPeriod",
      "Period between two evaluations of an autoscaler.",
    ),
    at(
      "horizontal-pod-autoscaler-downscale-stabilization",
      duration,
      "config.HPAController.HorizontalPodAutoscalerDownscaleStabilizationWindow",
      "Never scale below a recommendation made within this time.",
    ),
    at(
      "horizontal-pod-autoscaler-tolerance",
      float64,
      "config.HPAController.HorizontalPodAutoscalerTolerance",
      "Deviation of the metrics ratio from 1.0 that is ignored.",
    ),
    at(
      "horizontal-pod-autoscaler-cpu-initialization-period",
      duration,
      "config.HPAController.HorizontalPodAutoscalerCPUInitializationPeriod",
      "Time after a pod's start in which its CPU samples may be left out.",
    ),
    at(
      "horizontal-pod-autoscaler-initial-readiness-delay",
      duration,
      "config.HPAController.HorizontalPodAutoscalerInitialReadinessDelay",
      "Time after a pod's start in which a change of readiness counts as the first one.",
    ),
  ],
  job: [at("concurrent-job-syncs", int32, "config.JobController.ConcurrentJobSyncs", workers("Jobs"))],
  cronjob: [
    at("concurrent-cron-job-syncs", int32, "config.CronJobController.ConcurrentCronJobSyncs", workers("CronJobs")),
  ],
  replicaset: [
    at("concurrent-replicaset-syncs", int32, "config.ReplicaSetController.ConcurrentRSSyncs", workers("ReplicaSets")),
  ],
  replicationcontroller: [
    at(
      "concurrent-rc-syncs",
      int32,
      "config.ReplicationController.ConcurrentRCSyncs",
      workers("ReplicationControllers"),
    ),
  ],
  "ttl-after-finished": [
    at(
      "concurrent-ttl-after-finished-syncs",
      int32,
      "config.TTLAfterFinishedController.ConcurrentTTLSyncs",
      workers("finished Jobs"),
    ),
  ],
};
