// Printers of the apps, batch, autoscaling, policy and scheduling groups.
// Upstream: pkg/printers/internalversion/printers.go

import type * as apps from "#api/generated/types/apps-v1.ts";
import type * as autoscaling from "#api/generated/types/autoscaling-v2.ts";
import type * as batch from "#api/generated/types/batch-v1.ts";
import type * as policy from "#api/generated/types/policy-v1.ts";
import type * as scheduling from "#api/generated/types/scheduling-v1.ts";
import type * as alpha from "#api/generated/types/scheduling-v1alpha2.ts";
import { formatLabelSelector, selectorFromObject } from "#api/label-selector.ts";
import type { LabelSelector } from "#api/meta.ts";
import { parseApiVersion } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import {
  ageOf,
  containerCells,
  formatLabels,
  humanDuration,
  nameOf,
  orNone,
  type Printer,
  printer,
  since,
} from "#kinds/parts/printer.ts";

/** Deployments print their selector bare: nothing for one that selects everything. */
function selectorText(selector: LabelSelector | undefined): string {
  try {
    return selectorFromObject(selector).toString();
  } catch {
    return "<invalid>";
  }
}

function deploymentCells(deployment: apps.Deployment, now: EpochMs): unknown[] {
  const { spec, status } = deployment;
  return [
    nameOf(deployment),
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    ageOf(deployment, now),
    ...containerCells(spec?.template?.spec?.containers),
    selectorText(spec?.selector),
  ];
}

function daemonSetCells(set: apps.DaemonSet, now: EpochMs): unknown[] {
  const { spec, status } = set;
  return [
    nameOf(set),
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    formatLabels(spec?.template?.spec?.nodeSelector),
    ageOf(set, now),
    ...containerCells(spec?.template?.spec?.containers),
    formatLabelSelector(spec?.selector),
  ];
}

function revisionCells(revision: apps.ControllerRevision, now: EpochMs): unknown[] {
  const owner = getControllerOf(revision);
  const { group } = parseApiVersion(owner?.apiVersion ?? "");
  const kind = (group === "" ? (owner?.kind ?? "") : `${owner?.kind}.${group}`).toLowerCase();
  return [nameOf(revision), owner ? `${kind}/${owner.name}` : "<none>", revision.revision ?? 0, ageOf(revision, now)];
}

function jobStatus({ metadata, status }: batch.Job): string {
  const has = (type: string): boolean => status?.conditions?.find((c) => c.type === type)?.status === "True";
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (metadata?.deletionTimestamp) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(has) ?? "Running";
}

function jobCells(job: batch.Job, now: EpochMs): unknown[] {
  const { spec, status } = job;
  const succeeded = status?.succeeded ?? 0;
  const parallelism = spec?.parallelism ?? 0;
  const of = parallelism > 1 ? ` of ${parallelism}` : "";
  const start = timeOrUndefined(status?.startTime);
  const end = timeOrUndefined(status?.completionTime) ?? now;
  return [
    nameOf(job),
    jobStatus(job),
    spec?.completions === undefined ? `${succeeded}/1${of}` : `${succeeded}/${spec.completions}`,
    start === undefined ? "" : humanDuration(end - start),
    ageOf(job, now),
    ...containerCells(spec?.template?.spec?.containers),
    formatLabelSelector(spec?.selector),
  ];
}

function cronJobCells(job: batch.CronJob, now: EpochMs): unknown[] {
  const { spec, status } = job;
  const template = spec?.jobTemplate?.spec;
  return [
    nameOf(job),
    spec?.schedule ?? "",
    spec?.timeZone ?? "<none>",
    spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
    (status?.active ?? []).length,
    status?.lastScheduleTime ? since(status.lastScheduleTime, now) : "<none>",
    ageOf(job, now),
    ...containerCells(template?.template?.spec?.containers),
    formatLabelSelector(template?.selector),
  ];
}

const text = (amount: string | undefined): string =>
  amount === undefined ? "<nil>" : quantityFromWire(amount).toString();
const percent = (value: number | undefined, otherwise: string): string =>
  value === undefined ? otherwise : `${value}%`;

function metricText(spec: autoscaling.MetricSpec, status: autoscaling.MetricStatus | undefined): string {
  switch (spec.type) {
    case "Pods":
      return `${status?.pods ? text(status.pods.current?.averageValue) : "<unknown>"}/${text(spec.pods?.target?.averageValue)}`;
    case "External":
      return valueText(spec.external?.target, status?.external?.current);
    case "Object":
      return valueText(spec.object?.target, status?.object?.current);
    case "Resource":
      return resourceText(spec.resource, status?.resource);
    case "ContainerResource":
      return resourceText(spec.containerResource, status?.containerResource);
    default:
      return "<unknown type>";
  }
}

function valueText(
  target: autoscaling.MetricTarget | undefined,
  current: autoscaling.MetricValueStatus | undefined,
): string {
  if (target?.averageValue !== undefined) {
    const now = current?.averageValue === undefined ? "<unknown>" : text(current.averageValue);
    return `${now}/${text(target.averageValue)} (avg)`;
  }
  return `${current ? text(current.value) : "<unknown>"}/${text(target?.value)}`;
}

interface ResourceMetric {
  readonly name?: string;
  readonly target?: autoscaling.MetricTarget;
}
interface ResourceMetricNow {
  readonly current?: autoscaling.MetricValueStatus;
}

function resourceText(spec: ResourceMetric | undefined, status: ResourceMetricNow | undefined): string {
  const { name = "", target } = spec ?? {};
  if (target?.averageValue !== undefined) {
    const now = status ? text(status.current?.averageValue) : "<unknown>";
    return `${name}: ${now}/${text(target.averageValue)}`;
  }
  const now = percent(status?.current?.averageUtilization, "<unknown>");
  return `${name}: ${now}/${percent(target?.averageUtilization, "<auto>")}`;
}

function autoscalerCells(hpa: autoscaling.HorizontalPodAutoscaler, now: EpochMs): unknown[] {
  const { spec, status } = hpa;
  const metrics = (spec?.metrics ?? []).map((metric, i) => metricText(metric, status?.currentMetrics?.[i]));
  const shown =
    metrics.length > 2 ? `${metrics.slice(0, 2).join(", ")} + ${metrics.length - 2} more...` : metrics.join(", ");
  return [
    nameOf(hpa),
    `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`,
    orNone(shown),
    spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
    ageOf(hpa, now),
  ];
}

function podGroupCells(group: alpha.PodGroup, now: EpochMs): unknown[] {
  const condition = (type: string) => group.status?.conditions?.findLast((candidate) => candidate.type === type);
  const scheduled = condition("PodGroupScheduled");
  const word = scheduled === undefined ? "Pending" : scheduled.status === "True" ? "Scheduled" : "Unschedulable";
  return [
    nameOf(group),
    group.spec?.schedulingPolicy?.gang ? "Gang" : "Basic",
    group.spec?.podGroupTemplateRef?.workload?.workloadName ?? "<none>",
    condition("DisruptionTarget")?.reason ?? word,
    ageOf(group, now),
  ];
}

const REPLICA_COLUMNS = "Name|Desired:integer|Current:integer|Ready:integer|Age|Containers*|Images*|Selector*";

export const WORKLOAD_PRINTERS: Readonly<Record<string, Printer>> = {
  "controllerrevisions.apps": printer("Name|Controller|Revision|Age", revisionCells),
  "cronjobs.batch": printer(
    "Name|Schedule|Timezone|Suspend:boolean|Active:integer|Last Schedule|Age|Containers*|Images*|Selector*",
    cronJobCells,
  ),
  "daemonsets.apps": printer(
    "Name|Desired:integer|Current:integer|Ready:integer|Up-to-date:integer|Available:integer|Node Selector|Age|Containers*|Images*|Selector*",
    daemonSetCells,
  ),
  "deployments.apps": printer("Name|Ready|Up-to-date|Available|Age|Containers*|Images*|Selector*", deploymentCells),
  "horizontalpodautoscalers.autoscaling": printer(
    "Name|Reference|Targets|MinPods|MaxPods|Replicas|Age",
    autoscalerCells,
  ),
  "jobs.batch": printer("Name|Status|Completions|Duration|Age|Containers*|Images*|Selector*", jobCells),
  "poddisruptionbudgets.policy": printer<policy.PodDisruptionBudget>(
    "Name|Min Available|Max Unavailable|Allowed Disruptions:integer|Age",
    (budget, now) => [
      nameOf(budget),
      String(budget.spec?.minAvailable ?? "N/A"),
      String(budget.spec?.maxUnavailable ?? "N/A"),
      budget.status?.disruptionsAllowed ?? 0,
      ageOf(budget, now),
    ],
  ),
  "podgroups.scheduling.k8s.io": printer("Name|Policy|Workload|Status|Age", podGroupCells),
  "priorityclasses.scheduling.k8s.io": printer<scheduling.PriorityClass>(
    "Name|Value:integer|Global-Default:boolean|Age|PreemptionPolicy",
    (priority, now) => [
      nameOf(priority),
      priority.value ?? 0,
      priority.globalDefault ?? false,
      ageOf(priority, now),
      priority.preemptionPolicy ?? "",
    ],
  ),
  "replicasets.apps": printer<apps.ReplicaSet>(REPLICA_COLUMNS, (set, now) => [
    nameOf(set),
    set.spec?.replicas ?? 0,
    set.status?.replicas ?? 0,
    set.status?.readyReplicas ?? 0,
    ageOf(set, now),
    ...containerCells(set.spec?.template?.spec?.containers),
    formatLabelSelector(set.spec?.selector),
  ]),
  "statefulsets.apps": printer<apps.StatefulSet>("Name|Ready|Age|Containers*|Images*", (set, now) => [
    nameOf(set),
    `${set.status?.readyReplicas ?? 0}/${set.spec?.replicas ?? 0}`,
    ageOf(set, now),
    ...containerCells(set.spec?.template?.spec?.containers),
  ]),
  "workloads.scheduling.k8s.io": printer("Name|Age", (workload, now) => [nameOf(workload), ageOf(workload, now)]),
};
