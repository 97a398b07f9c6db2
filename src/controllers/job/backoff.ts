// How long a Job waits before it replaces a failed pod: 10 s, doubled with each failure since the last success, at most
// 10 min. Upstream: pkg/controller/job/backoff_utils.go.

import type { ContainerStatus, Pod } from "#api/generated/types/core-v1.ts";
import { wrappedSecondsMs } from "#api/int64.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { podCondition } from "#rules/pod-status.ts";

const FIRST_MS = 10_000;
const MAX_MS = 600_000;

export interface BackoffRecord {
  readonly failures: number;
  readonly lastFailureMs: EpochMs | undefined;
}

export const noFailures: BackoffRecord = { failures: 0, lastFailureMs: undefined };

/** The record after these pods finished: a success resets the earlier failures. */
export function nextRecord(record: BackoffRecord, succeeded: readonly Pod[], failed: readonly Pod[]): BackoffRecord {
  const failureTimes = failed.map(finishedTime).toSorted((a, b) => a - b);
  if (succeeded.length === 0) {
    if (failed.length === 0) return record;
    return { failures: record.failures + failed.length, lastFailureMs: failureTimes.at(-1) };
  }
  const lastSuccessMs = Math.max(...succeeded.map(finishedTime));
  const since = failureTimes.filter((time) => time > lastSuccessMs);
  return { failures: since.length, lastFailureMs: since.at(-1) };
}

export function remainingMs({ failures, lastFailureMs = 0 }: BackoffRecord, now: EpochMs): number {
  if (failures === 0) return 0;
  const waitMs = Math.min(FIRST_MS * 2 ** (failures - 1), MAX_MS);
  return Math.max(0, waitMs - (now - lastFailureMs));
}

/**
 * The time at which the pod's last container ended. If the kubelet reported none: when the pod stopped being ready, was
 * deleted, or was created.
 */
export function finishedTime(pod: Pod): EpochMs {
  const { metadata } = pod;
  const deletedMs = timeOrUndefined(metadata?.deletionTimestamp);
  return (
    containersEnd(pod) ??
    unreadySince(pod) ??
    (deletedMs === undefined ? undefined : deletedMs - wrappedSecondsMs(metadata?.deletionGracePeriodSeconds ?? 0)) ??
    timeOrUndefined(metadata?.creationTimestamp) ??
    0
  );
}

function unreadySince(pod: Pod): EpochMs | undefined {
  const ready = podCondition(pod, "Ready");
  return ready?.status === "False" ? timeOrUndefined(ready.lastTransitionTime) : undefined;
}

/** Sidecars end after the regular containers. While one runs, the end is unknown. */
function containersEnd({ spec, status }: Pod): EpochMs | undefined {
  const sidecars = new Set((spec?.initContainers ?? []).filter((c) => c.restartPolicy === "Always").map((c) => c.name));
  const ofSidecars = (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  return latestEnd(ofSidecars, latestEnd(status?.containerStatuses ?? [], undefined));
}

function latestEnd(statuses: readonly ContainerStatus[], before: EpochMs | undefined): EpochMs | undefined {
  let latest = before;
  for (const { state } of statuses) {
    const end = timeOrUndefined(state?.terminated?.finishedAt);
    if (end === undefined) return undefined;
    latest = Math.max(latest ?? end, end);
  }
  return latest;
}
