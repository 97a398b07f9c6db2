// The work of a DaemonSet on one node: create a pod, delete some, or neither.
// Upstream: pkg/controller/daemon/daemon_controller.go, podsShouldBeOnNode.

import type { EpochMs } from "#base/clock.ts";
import { olderFirst } from "#kit/order.ts";
import { isPodAvailable, isPodReady } from "#rules/pod-status.ts";
import { type DaemonSet, HASH_LABEL, isTerminating, minReadySecondsOf, type StoredPod } from "./model.ts";
import type { Placement } from "./placement.ts";
import { surgeCount } from "./rolling-update.ts";

export interface NodePlan {
  readonly creates: boolean;
  readonly failed: readonly StoredPod[];
  readonly succeeded: readonly StoredPod[];
  /** Pods that are too many, or on the wrong node. */
  readonly surplus: readonly StoredPod[];
}

/**
 * `pods` is undefined if the set has no pod on the node. Unless the set surges, a terminating pod blocks its
 * replacement.
 */
export function planNode(
  set: DaemonSet,
  pods: readonly StoredPod[] | undefined,
  { shouldRun, mayStay }: Placement,
  { hash, now }: { readonly hash: string; readonly now: EpochMs },
): NodePlan {
  const nothing: NodePlan = { creates: false, failed: [], succeeded: [], surplus: [] };
  if (pods === undefined) return { ...nothing, creates: shouldRun };
  const living = pods.filter((pod) => !isTerminating(pod));
  if (!mayStay) return { ...nothing, surplus: living };
  const failed = living.filter(({ status }) => status?.phase === "Failed");
  const succeeded = living.filter(({ status }) => status?.phase === "Succeeded");
  const running = living
    .filter(({ status }) => status?.phase !== "Failed" && status?.phase !== "Succeeded")
    .toSorted(scheduledFirst);
  if (!allowsSurge(set)) return { creates: false, failed, succeeded, surplus: running.slice(1) };
  if (running.length <= 1) return { creates: running.length === 0 && shouldRun, failed, succeeded, surplus: [] };
  return { creates: false, failed, succeeded, surplus: surgeSurplus(set, running, hash, now) };
}

/** Scheduled pods first, then older ones. */
export function scheduledFirst(a: StoredPod, b: StoredPod): number {
  const isWaiting = ({ spec }: StoredPod): number => ((spec?.nodeName ?? "") === "" ? 1 : 0);
  return isWaiting(a) - isWaiting(b) || olderFirst(a, b);
}

/** An old pod stays beside a new one as long as it is ready and the new one is not available. */
function surgeSurplus(set: DaemonSet, running: readonly StoredPod[], hash: string, now: EpochMs): readonly StoredPod[] {
  const isNew = ({ metadata }: StoredPod): boolean => metadata.labels?.[HASH_LABEL] === hash;
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  const surplus = running.filter((pod) => pod !== newest && pod !== old);
  if (newest === undefined || old === undefined) return surplus;
  const isReplaced = !isPodReady(old) || isPodAvailable(newest, minReadySecondsOf(set), now);
  return isReplaced ? [...surplus, old] : surplus;
}

function allowsSurge(set: DaemonSet): boolean {
  try {
    return surgeCount(set, 1) > 0;
  } catch {
    return false; // the server does not accept such a value
  }
}
