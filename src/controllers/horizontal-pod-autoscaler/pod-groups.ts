// Which of the target's pods have a usable sample.
// Upstream: pkg/controller/podautoscaler/replica_calculator.go, groupPods.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { podCondition } from "#rules/pod-status.ts";

/** The sample of one pod from a metrics API, in thousandths. */
export interface Sample {
  readonly value: bigint;
  readonly at: EpochMs;
  readonly windowMs: number;
}

/** By the names of the pods. */
export type Samples = ReadonlyMap<string, Sample>;

export interface PodTiming {
  readonly now: EpochMs;
  /** --horizontal-pod-autoscaler-cpu-initialization-period */
  readonly cpuInitializationMs: number;
  /** --horizontal-pod-autoscaler-initial-readiness-delay */
  readonly initialReadinessMs: number;
}

export interface PodGroups {
  readonly readyCount: number;
  readonly unready: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
}

type Group = "ready" | "unready" | "missing" | "ignored";

/** The zero time of Go: the year 1. */
const ZERO_TIME: EpochMs = -62_135_596_800_000;

/** resource: for "cpu", samples of starting pods are ignored. */
export function groupPods(
  pods: readonly Stored<Pod>[],
  samples: Samples,
  resource: string,
  timing: PodTiming,
): PodGroups {
  const groups: Readonly<Record<Group, Set<string>>> = {
    ready: new Set(),
    unready: new Set(),
    missing: new Set(),
    ignored: new Set(),
  };
  for (const pod of pods) {
    const { name } = pod.metadata;
    groups[groupOf(pod, samples.get(name), resource, timing)].add(name);
  }
  const { ready, unready, missing, ignored } = groups;
  return { readyCount: ready.size, unready, missing, ignored };
}

function groupOf(pod: Stored<Pod>, sample: Sample | undefined, resource: string, timing: PodTiming): Group {
  const phase = pod.status?.phase;
  if (pod.metadata.deletionTimestamp !== undefined || phase === "Failed") return "ignored";
  if (phase === "Pending") return "unready";
  if (sample === undefined) return "missing";
  return resource === "cpu" && isStarting(pod, sample, timing) ? "unready" : "ready";
}

function isStarting(pod: Pod, sample: Sample, { now, cpuInitializationMs, initialReadinessMs }: PodTiming): boolean {
  const condition = podCondition(pod, "Ready");
  const startedAt = timeOrUndefined(pod.status?.startTime);
  if (condition === undefined || startedAt === undefined) return true;
  const changedAt = timeOrUndefined(condition.lastTransitionTime) ?? ZERO_TIME;
  const isUnready = condition.status === "False";
  if (startedAt + cpuInitializationMs > now) return isUnready || sample.at < changedAt + sample.windowMs;
  return isUnready && startedAt + initialReadinessMs > changedAt;
}
