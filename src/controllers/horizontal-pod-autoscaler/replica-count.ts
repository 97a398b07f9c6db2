// How many replicas a metric requires. Pure; amounts are in thousandths.
// Upstream: pkg/controller/podautoscaler/replica_calculator.go; metrics/utilization.go.

import type { Pod } from "#api/generated/types/core-v1.ts";
import { INT64_MAX } from "#api/int64.ts";
import type { Stored } from "#api/resource.ts";
import { isPodReady } from "#rules/pod-status.ts";
import { INT32_MAX, toInt32, toInt64, wrapped } from "./go-numbers.ts";
import { groupPods, type PodTiming, type Samples } from "./pod-groups.ts";

/** How far the ratio of usage to target may be from 1 without an effect. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

const isWithin = ({ down, up }: Tolerances, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up;

const NO_PODS = "no pods returned by selector while calculating replica count";
const NO_SAMPLES = "did not receive metrics for targeted pods (pods might be unready)";

/** The pods and settings that samples are counted with. */
export interface PodCount {
  readonly current: number;
  readonly tolerances: Tolerances;
  readonly pods: readonly Stored<Pod>[];
  readonly samples: Samples;
  /** The resource of the samples, if any. */
  readonly resource: string;
  readonly timing: PodTiming;
}

type Values = ReadonlyMap<string, bigint>;

interface Measured {
  /** The ratio of usage to target. */
  readonly ratio: number;
}

export interface Utilization extends Measured {
  readonly percent: number;
  readonly average: bigint;
}

/** By the usage as a percentage of the pods' requests. requestsOf: throws when a pod does not request the resource. */
export function utilizationReplicas(
  count: PodCount,
  targetPercent: number,
  requestsOf: () => ReadonlyMap<string, bigint>,
): { readonly replicas: number; readonly measured: Utilization } {
  let known: ReadonlyMap<string, bigint> | undefined;
  const requests = (): ReadonlyMap<string, bigint> => {
    known ??= requestsOf();
    return known;
  };
  const whenMissing = (pod: string): bigint =>
    wrapped((requests().get(pod) ?? 0n) * BigInt(Math.max(100, targetPercent))) / 100n;
  return replicasOfPods(count, (values) => utilization(values, requests(), targetPercent), whenMissing);
}

function utilization(values: Values, requests: ReadonlyMap<string, bigint>, targetPercent: number): Utilization {
  let used = 0n;
  let requested = 0n;
  let count = 0n;
  for (const [pod, value] of values) {
    const request = requests.get(pod);
    if (request === undefined) continue;
    used = wrapped(used + value);
    requested = wrapped(requested + request);
    count++;
  }
  if (requested === 0n) throw new Error("no metrics returned matched known pods");
  const percent = Number(BigInt.asIntN(32, wrapped(used * 100n) / requested));
  return { ratio: percent / targetPercent, percent, average: used / count };
}

export interface Usage extends Measured {
  readonly average: bigint;
}

/** By the average over the pods. */
export function averageReplicas(
  count: PodCount,
  target: bigint,
): { readonly replicas: number; readonly measured: Usage } {
  const measure = (values: Values): Usage => {
    const total = [...values.values()].reduce((sum, value) => wrapped(sum + value), 0n);
    const average = total / BigInt(values.size);
    return { ratio: Number(average) / Number(target), average };
  };
  return replicasOfPods(count, measure, () => target);
}

/**
 * Pods without a sample dampen the change: they count as fully used when the target would shrink, and as idle when it
 * would grow. Pods that are not ready also count as idle then.
 */
function replicasOfPods<M extends Measured>(
  { current, tolerances, pods, samples, resource, timing }: PodCount,
  measure: (values: Values) => M,
  whenMissing: (pod: string) => bigint,
): { readonly replicas: number; readonly measured: M } {
  if (pods.length === 0) throw new Error(NO_PODS);
  const { readyCount, unready, missing, ignored } = groupPods(pods, samples, resource, timing);
  const values = new Map<string, bigint>();
  for (const [pod, { value }] of samples) if (!ignored.has(pod) && !unready.has(pod)) values.set(pod, value);
  if (values.size === 0) throw new Error(NO_SAMPLES);
  const measured = measure(values);
  const { ratio } = measured;
  const growsWithUnready = unready.size > 0 && ratio > 1;
  if (!growsWithUnready && missing.size === 0) {
    const replicas = isWithin(tolerances, ratio) ? current : toInt32(Math.ceil(ratio * readyCount));
    return { replicas, measured };
  }
  if (ratio < 1) for (const pod of missing) values.set(pod, whenMissing(pod));
  if (ratio > 1) for (const pod of missing) values.set(pod, 0n);
  if (growsWithUnready) for (const pod of unready) values.set(pod, 0n);
  const { ratio: newRatio } = measure(values);
  const turns = (ratio < 1 && newRatio > 1) || (ratio > 1 && newRatio < 1);
  if (isWithin(tolerances, newRatio) || turns) return { replicas: current, measured };
  const replicas = toInt32(Math.ceil(newRatio * values.size));
  const isReversed = (newRatio < 1 && replicas > current) || (newRatio > 1 && replicas < current);
  return { replicas: isReversed ? current : replicas, measured };
}

/** By the value of one object or of an external metric. A target without replicas needs no ready pods. */
export function valueReplicas(
  { current, tolerances, pods }: Pick<PodCount, "current" | "tolerances" | "pods">,
  usage: bigint,
  target: bigint,
): number {
  const ratio = Number(usage) / Number(target);
  if (current === 0) return toInt32(Math.ceil(ratio));
  if (isWithin(tolerances, ratio)) return current;
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${NO_PODS}`);
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod)).length;
  const replicas = ratio * ready;
  return replicas > INT32_MAX ? INT32_MAX : toInt32(Math.ceil(replicas));
}

export interface PerPodCount {
  readonly replicas: number;
  readonly average: bigint;
}

/** By a value divided among the pods of the status. isBounded: the overflow rules of upstream for external metrics. */
export function perPodReplicas(
  { statusReplicas, tolerances }: { readonly statusReplicas: number; readonly tolerances: Tolerances },
  usage: bigint,
  target: bigint,
  isBounded: boolean,
): PerPodCount {
  const ratio = Number(usage) / (Number(target) * statusReplicas);
  const wanted = Math.ceil(Number(usage) / Number(target));
  const isTooMany = isBounded && wanted > INT32_MAX;
  const replicas = isWithin(tolerances, ratio) ? statusReplicas : isTooMany ? INT32_MAX : toInt32(wanted);
  const isUncountable = isBounded && Number(usage) >= Number(INT64_MAX);
  const average = isUncountable ? INT64_MAX : toInt64(Math.ceil(Number(usage) / statusReplicas));
  return { replicas, average };
}

/** The sum of external values, limited to an int64. */
export function sumOfValues(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    if (value > 0n && sum > INT64_MAX - value) return INT64_MAX;
    sum = wrapped(sum + value);
  }
  return sum;
}

/** The same for a value divided among pods: a sum below zero counts as too large. */
export function sumOfShares(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    sum = wrapped(sum + value);
    if (sum < 0n) return INT64_MAX;
  }
  return sum;
}
