// Limits a rolling update: which old pods are deleted, and which nodes get a new pod beside the old one.
// Upstream: pkg/controller/daemon/update.go, rollingUpdate; util/daemonset_util.go, SurgeCount, UnavailableCount.

import { scaledValue } from "#api/int-or-string.ts";
import type { EpochMs } from "#base/clock.ts";
import { isPodAvailable } from "#rules/pod-status.ts";
import { type DaemonSet, isTerminating, minReadySecondsOf, type StoredPod } from "./model.ts";
import { isUpdated } from "./placement.ts";

export interface UpdatePlan {
  readonly deletes: readonly StoredPod[];
  /** Names of nodes. */
  readonly creates: readonly string[];
}

export interface UpdateInput {
  readonly hash: string;
  readonly now: EpochMs;
  /** The pods of each node that has or should have one, in the order of processing. */
  readonly podsByNode: ReadonlyMap<string, readonly StoredPod[]>;
  readonly desired: number;
  readonly shouldRunOn: (nodeName: string) => boolean;
}

export function planUpdate(set: DaemonSet, input: UpdateInput): UpdatePlan {
  const surge = surgeCount(set, input.desired);
  const unavailable = unavailableCount(set, input.desired);
  if (surge > 0) return planSurge(set, input, surge);
  return planReplacement(set, input, unavailable === 0 && input.desired > 0 ? 1 : unavailable);
}

/** Old pods that are not available are always replaced, available ones as far as maxUnavailable allows. */
function planReplacement(set: DaemonSet, input: UpdateInput, unavailableMax: number): UpdatePlan {
  const isAvailable = availability(set, input);
  let unavailable = 0;
  const broken: StoredPod[] = [];
  const candidates: StoredPod[] = [];
  for (const pods of input.podsByNode.values()) {
    const found = oldAndNew(set, pods, input.hash);
    const only = found && (found.newPod !== undefined) !== (found.oldPod !== undefined);
    if (found === undefined || !only) unavailable++;
    else if (found.oldPod === undefined) unavailable += isAvailable(found.newPod) ? 0 : 1;
    else if (isAvailable(found.oldPod)) candidates.push(found.oldPod);
    else {
      broken.push(found.oldPod);
      unavailable++;
    }
  }
  const allowed = Math.max(0, unavailableMax - unavailable);
  return { deletes: [...broken, ...candidates.slice(0, allowed)], creates: [] };
}

/** Unavailable old pods get a new pod beside them at once, available ones as far as maxSurge allows. */
function planSurge(set: DaemonSet, input: UpdateInput, surgeMax: number): UpdatePlan {
  const isAvailable = availability(set, input);
  let surging = 0;
  let available = 0;
  const deletes: StoredPod[] = [];
  const misplaced: StoredPod[] = [];
  const atOnce: string[] = [];
  const candidates: string[] = [];
  for (const [nodeName, pods] of input.podsByNode) {
    const found = oldAndNew(set, pods, input.hash);
    if (found === undefined) {
      surging++;
      continue;
    }
    const { oldPod, newPod } = found;
    if (isAvailable(oldPod ?? newPod)) available++;
    if (oldPod === undefined) continue;
    if (newPod !== undefined) {
      if (isAvailable(newPod)) deletes.push(oldPod);
      else surging++;
    } else if (input.shouldRunOn(nodeName)) (isAvailable(oldPod) ? candidates : atOnce).push(nodeName);
    else (isAvailable(oldPod) ? misplaced : deletes).push(oldPod);
  }
  // Pods on nodes that are no longer selected are deleted when enough other pods are available.
  const leaving = misplaced.slice(0, Math.max(0, available - input.desired));
  const allowed = Math.max(0, surgeMax - surging);
  return { deletes: [...deletes, ...leaving], creates: [...atOnce, ...candidates.slice(0, allowed)] };
}

function availability(set: DaemonSet, { now }: UpdateInput): (pod: StoredPod | undefined) => boolean {
  return (pod) => pod !== undefined && isPodAvailable(pod, minReadySecondsOf(set), now);
}

/** Undefined: several pods are old or several are new; the surplus is removed first. */
function oldAndNew(
  set: DaemonSet,
  pods: readonly StoredPod[],
  hash: string,
): { readonly oldPod: StoredPod | undefined; readonly newPod: StoredPod | undefined } | undefined {
  const living = pods.filter((pod) => !isTerminating(pod));
  const news = living.filter((pod) => isUpdated(set, pod, hash));
  const olds = living.filter((pod) => !isUpdated(set, pod, hash));
  return news.length > 1 || olds.length > 1 ? undefined : { oldPod: olds[0], newPod: news[0] };
}

/** A percentage is rounded up. */
export function surgeCount(set: DaemonSet, desired: number): number {
  const { maxSurge = 0 } = rollingUpdateOf(set);
  return scaledValue(maxSurge, desired, true);
}

function unavailableCount(set: DaemonSet, desired: number): number {
  const { maxUnavailable = 0 } = rollingUpdateOf(set);
  return scaledValue(maxUnavailable, desired, true);
}

function rollingUpdateOf({ spec }: DaemonSet) {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  return type === "RollingUpdate" ? (rollingUpdate ?? {}) : {};
}
