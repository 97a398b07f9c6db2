// The status of an autoscaler, and whether it must be written.
// Upstream: pkg/controller/podautoscaler/horizontal.go, setStatus, updateStatusIfNeeded.

import { semanticEqual } from "#api/equality.ts";
import type { HorizontalPodAutoscalerStatus, MetricStatus } from "#api/generated/types/autoscaling-v2.ts";

/** In Go's wire form: no list is null, and a size of 0 is left out. */
export function statusOf(
  old: HorizontalPodAutoscalerStatus,
  sizes: { readonly current: number; readonly desired: number },
  metrics: readonly MetricStatus[] | undefined,
  conditions: HorizontalPodAutoscalerStatus["conditions"] & {},
  lastScaleTime: string | undefined = old.lastScaleTime,
): HorizontalPodAutoscalerStatus {
  return {
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    ...(sizes.current === 0 ? {} : { currentReplicas: sizes.current }),
    desiredReplicas: sizes.desired,
    currentMetrics: (metrics ?? null) as readonly MetricStatus[],
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/**
 * Metric statuses that are null, empty or absent are equal, as in Go. So are a missing and a null time of a condition.
 */
export function isSameStatus(a: HorizontalPodAutoscalerStatus, b: HorizontalPodAutoscalerStatus): boolean {
  return semanticEqual(plain(a), plain(b));
}

function plain(status: HorizontalPodAutoscalerStatus): object {
  const { currentReplicas = 0, desiredReplicas = 0, currentMetrics, conditions, ...rest } = status;
  return {
    ...rest,
    currentReplicas,
    desiredReplicas,
    currentMetrics: currentMetrics ?? [],
    conditions: conditions ?? [],
  };
}
