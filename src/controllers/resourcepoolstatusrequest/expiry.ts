// Which requests are old enough to be deleted.
// Upstream: pkg/controller/resourcepoolstatusrequest/controller.go, shouldDeleteRequest.

import type { ResourcePoolStatusRequest } from "#api/generated/types/resource-v1alpha3.ts";
import type { StoredCluster } from "#api/resource.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

const HOUR_MS = 60 * 60 * 1000;
const ANSWERED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;

/** The age of an answered request counts from its answer. */
export function isExpired({ metadata, status }: StoredCluster<ResourcePoolStatusRequest>, now: EpochMs): boolean {
  const isOlder = (time: string | undefined, ms: number): boolean => {
    const since = timeOrUndefined(time);
    return since !== undefined && now - since > ms;
  };
  if (status === undefined) return isOlder(metadata.creationTimestamp, PENDING_MS);
  const answer = status.conditions?.find(({ type }) => type === "Complete" || type === "Failed");
  return isOlder(answer === undefined ? metadata.creationTimestamp : answer.lastTransitionTime, ANSWERED_MS);
}
