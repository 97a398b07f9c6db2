// How long the pods of a namespace may take to end.
// Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go, estimateGracefulTermination.

import type { Pod } from "#api/generated/types/core-v1.ts";
import { parseTime } from "#api/time.ts";

/** The longest grace period of a pod that has not ended. */
export function graceSeconds(pods: readonly Pod[]): number {
  const running = pods.filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed");
  return running.reduce((most, { spec }) => Math.max(most, Number(spec?.terminationGracePeriodSeconds ?? 0)), 0);
}

/** 0 once the time has passed since the namespace was deleted: then the pods should be gone. */
export function secondsLeft(graceSeconds: number, deletedAt: string, nowMs: number): number {
  return nowMs - parseTime(deletedAt) >= graceSeconds * 1000 ? 0 : graceSeconds;
}
