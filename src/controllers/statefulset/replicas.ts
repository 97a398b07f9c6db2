// Brings the pods of a StatefulSet to the state that its spec requires: creates missing pods, deletes surplus ones, and
// replaces those of another revision. It works in order, one after the other, or in parallel.
// Upstream: pkg/controller/statefulset/stateful_set_control.go, updateStatefulSet.

import type { StatefulSetStatus } from "#api/generated/types/apps-v1.ts";
import { scaledValue } from "#api/int-or-string.ts";
import { ref } from "#api/object.ts";
import type { EpochMs } from "#base/clock.ts";
import { slowStart } from "#kit/slow-start.ts";
import { isPodAvailable } from "#rules/pod-status.ts";
import { hasIdentity, hasStorage, podFor, type VersionedSet } from "./identity.ts";
import {
  type Deps,
  isParallel,
  minReadySecondsOf,
  replicasOf,
  revisionOf,
  type StatefulPod,
  type StatefulSet,
  type StoredPod,
} from "./model.ts";
import { partition, startOrdinal } from "./ordinals.ts";
import { atRevision, type Revisions } from "./revisions.ts";
import { StatefulPods } from "./stateful-pods.ts";
import { calculateStatus, isCreated, isRunningAndReady, isTerminating, isUnavailable } from "./status.ts";

/** The most concurrent calls of a Parallel set. */
const BATCH_MAX = 500;

export interface Outcome {
  readonly status: StatefulSetStatus;
  /** The error that stopped the update; the status is still written. */
  readonly error?: unknown;
}

/** "stop": this sync must do nothing more. Only an ordered set stops. */
type Progress = "go on" | "stop";

export async function updateReplicas(
  set: StatefulSet,
  revisions: Revisions,
  pods: readonly StoredPod[],
  now: EpochMs,
  deps: Deps,
  signal: AbortSignal,
): Promise<Outcome> {
  const current = versioned(set, revisions.current);
  const update = versioned(set, revisions.update);
  if (set.metadata.deletionTimestamp !== undefined) return { status: calculateStatus(set, revisions, pods, now) };

  const { slots, condemned } = partition(set, pods);
  const replicas = slots.map((pod, index) => pod ?? podFor(startOrdinal(set) + index, current, update));
  const step: Step = { set, updateSet: update.set, now, isOrdered: !isParallel(set), deps, signal };
  const statefulPods = new StatefulPods(deps);
  const status = calculateStatus(set, revisions, [...replicas, ...condemned], now);
  try {
    const progress = await runSteps(step, [
      [replicas, (pod) => processReplica(pod, statefulPods, step)],
      [condemned, (pod) => fixClaims(pod, statefulPods, step)],
      [condemned, (pod) => deleteCondemned(pod, firstUnavailable(replicas, condemned, step), statefulPods, step)],
    ]);
    if (progress === "stop" || set.spec?.updateStrategy?.type === "OnDelete") return { status };
  } catch (error) {
    return { status, error };
  }
  return replaceOutdated(replicas, update.revision, status, statefulPods, step);
}

function versioned(set: StatefulSet, revision: Revisions["current"]): VersionedSet {
  return { set: atRevision(set, revision), revision: revision.metadata.name };
}

interface Step {
  readonly set: StatefulSet;
  /** The set as its template describes it. */
  readonly updateSet: StatefulSet;
  readonly now: EpochMs;
  readonly isOrdered: boolean;
  readonly deps: Deps;
  readonly signal: AbortSignal;
}

type Pass = readonly [pods: readonly StatefulPod[], run: (pod: StatefulPod) => Promise<Progress>];

async function runSteps({ isOrdered }: Step, passes: readonly Pass[]): Promise<Progress> {
  for (const [pods, run] of passes) {
    if (isOrdered) {
      for (const pod of pods) if ((await run(pod)) === "stop") return "stop";
      continue;
    }
    const call = async (index: number): Promise<void> => {
      const pod = pods[index];
      if (pod !== undefined) await run(pod);
    };
    const { error } = await slowStart(pods.length, call, { largestBatch: BATCH_MAX });
    if (error !== undefined) throw error;
  }
  return "go on";
}

/** Creates the pod, or updates it if needed. */
async function processReplica(pod: StatefulPod, pods: StatefulPods, step: Step): Promise<Progress> {
  const { set, updateSet, now, isOrdered, deps, signal } = step;
  const { phase } = pod.status ?? {};
  if (phase === "Failed" || phase === "Succeeded") {
    // A new pod replaces it once it is gone.
    if (!isTerminating(pod)) await pods.delete(set, pod, signal);
    return "stop";
  }
  if (!isCreated(pod)) {
    if (!pods.isBlockedByClaim(set, pod)) await pods.create(set, pod, signal);
    return "stop";
  }
  if (phase === "Pending") await pods.createMissingClaims(set, pod, signal);
  const isHealthy = isRunningAndReady(pod) && isPodAvailable(pod, minReadySecondsOf(set), now);
  if (isOrdered && (isTerminating(pod) || !isHealthy)) {
    deps.log.v(4).info("StatefulSet is waiting for Pod to be available", { statefulSet: ref(set), pod: ref(pod) });
    return "stop";
  }
  const isAsWanted = hasIdentity(set, pod) && hasStorage(set, pod) && pods.claimsAreOwnedAsWanted(updateSet, pod);
  if (!isAsWanted) await pods.update(updateSet, pod as StoredPod, signal);
  return "go on";
}

async function fixClaims(pod: StatefulPod, pods: StatefulPods, { updateSet, signal }: Step): Promise<Progress> {
  if (!pods.claimsAreOwnedAsWanted(updateSet, pod)) await pods.updateClaimOwners(updateSet, pod, signal);
  return "go on";
}

/** An ordered set deletes one pod per sync, and none while another pod is unhealthy. */
async function deleteCondemned(
  pod: StatefulPod,
  firstUnavailablePod: StatefulPod | undefined,
  pods: StatefulPods,
  { set, now, isOrdered, deps, signal }: Step,
): Promise<Progress> {
  if (isTerminating(pod)) return "stop";
  const isHealthy = isRunningAndReady(pod) && isPodAvailable(pod, minReadySecondsOf(set), now);
  if (isOrdered && !isHealthy && pod !== firstUnavailablePod) return "stop";
  deps.log.v(2).info("Pod of StatefulSet is terminating for scale down", { statefulSet: ref(set), pod: ref(pod) });
  await pods.delete(set, pod, signal);
  return "stop";
}

/** By ordinal, replicas before condemned pods. */
function firstUnavailable(
  replicas: readonly StatefulPod[],
  condemned: readonly StatefulPod[],
  { set, now }: Step,
): StatefulPod | undefined {
  return [...replicas, ...condemned.toReversed()].find((pod) => isUnavailable(set, pod, now));
}

/** Deletes pods of another revision, highest ordinal first, down to the partition. */
async function replaceOutdated(
  replicas: readonly StatefulPod[],
  revision: string,
  status: StatefulSetStatus,
  pods: StatefulPods,
  { set, now, deps, signal }: Step,
): Promise<Outcome> {
  const first = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  let deleted = 0;
  const after = (): StatefulSetStatus => ({ ...status, currentReplicas: (status.currentReplicas ?? 0) - deleted });
  try {
    const isUnavailableNow = (pod: StatefulPod): boolean => isUnavailable(set, pod, now);
    const targets = deps.gates.isEnabled("MaxUnavailableStatefulSet")
      ? outdatedWithin(replicas, {
          revision,
          first,
          isUnavailable: isUnavailableNow,
          unavailableMax: maxUnavailable(set),
        })
      : nextOutdated(replicas, { revision, first, isUnavailable: isUnavailableNow });
    if (deps.gates.isEnabled("MaxUnavailableStatefulSet"))
      deps.metrics.unavailableReplicas.set(replicas.filter(isUnavailableNow).length, metricLabels(set));
    for (const pod of targets) {
      deps.log.v(2).info("Pod of StatefulSet is terminating for update", { statefulSet: ref(set), pod: ref(pod) });
      await pods.delete(set, pod, signal);
      deleted++;
    }
    return { status: after() };
  } catch (error) {
    return { status: after(), error };
  }
}

interface Rule {
  /** The revision that pods should have. */
  readonly revision: string;
  /** The lowest index that is updated. */
  readonly first: number;
  readonly isUnavailable: (pod: StatefulPod) => boolean;
}

/** The highest outdated pod, unless one above it is unavailable. */
export function nextOutdated(
  replicas: readonly StatefulPod[],
  { revision, first, isUnavailable }: Rule,
): readonly StatefulPod[] {
  for (const pod of replicas.slice(first).toReversed()) {
    if (revisionOf(pod) !== revision && !isTerminating(pod)) return [pod];
    if (isUnavailable(pod)) return [];
  }
  return [];
}

/** As many of the highest outdated pods as may become unavailable, minus those that already are. */
export function outdatedWithin(
  replicas: readonly StatefulPod[],
  { revision, first, isUnavailable, unavailableMax }: Rule & { readonly unavailableMax: number },
): readonly StatefulPod[] {
  const allowed = Math.max(0, unavailableMax - replicas.filter(isUnavailable).length);
  return replicas
    .slice(first)
    .toReversed()
    .filter((pod) => revisionOf(pod) !== revision && !isTerminating(pod))
    .slice(0, allowed);
}

/** One unless the set allows more. A percentage is rounded down, but to at least one. */
export function maxUnavailable(set: StatefulSet): number {
  const { maxUnavailable: value = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  return Math.max(1, scaledValue(value, replicasOf(set), false));
}

export function metricLabels({ metadata, spec }: StatefulSet): readonly string[] {
  return [metadata.namespace, metadata.name, spec?.podManagementPolicy ?? ""];
}
