// How long the pods of a namespace may take to end.
// Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go, estimateGracefulTermination.

import type { Pod } from "#api/generated/types/core-v1.ts";
import { wrappedSecondsMs } from "#api/int64.ts";
import { parseTime } from "#api/time.ts";

/** The longest grace period of a pod that has not ended. */
export function graceSeconds(pods: readonly Pod[]): number {
  const running = pods.filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed");
  return running.reduce((most, { spec }) => Math.max(most, Number(spec?.terminationGracePeriodSeconds ?? 0)), 0);
}

/** 0 once this time has passed since the deletion of the namespace: the pods should be gone then. */
export function secondsLeft(graceSeconds: number, deletedAt: string, nowMs: number): number {
  return nowMs - parseTime(deletedAt) >= wrappedSecondsMs(graceSeconds) ? 0 : graceSeconds;
}
