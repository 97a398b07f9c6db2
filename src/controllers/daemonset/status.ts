// The status of a DaemonSet, computed from its nodes and pods and written only when it changed.
// Upstream: pkg/controller/daemon/daemon_controller.go, updateDaemonSetStatus, storeDaemonSetStatus.

import { DaemonSets } from "#api/generated/resources/apps-v1.ts";
import type { DaemonSetStatus } from "#api/generated/types/apps-v1.ts";
import { objectKey } from "#api/object.ts";
import type { EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { isPodAvailable, isPodReady } from "#rules/pod-status.ts";
import { type PodsByNode, podsByNode } from "./daemon-pods.ts";
import { type DaemonSet, type Deps, minReadySecondsOf, type StoredNode } from "./model.ts";
import { scheduledFirst } from "./node-plan.ts";
import { isUpdated, placementOn } from "./placement.ts";

/** A second failure is left to the queue's back-off. */
const TRIES_MAX = 2;

export type Counts = Required<Omit<DaemonSetStatus, "collisionCount" | "conditions" | "observedGeneration">>;

/** Of several pods on a node the first is counted: scheduled pods first, then the oldest. */
export function countPods(
  set: DaemonSet,
  nodes: readonly StoredNode[],
  pods: PodsByNode,
  { hash, now, comparesTaints }: { readonly hash: string; readonly now: EpochMs; readonly comparesTaints: boolean },
): Counts {
  const shouldRun = (node: StoredNode): boolean => placementOn(node, set, comparesTaints).shouldRun;
  const isScheduled = ({ metadata }: StoredNode): boolean => pods.has(metadata.name);
  const desired = nodes.filter(shouldRun);
  const first = desired.flatMap(({ metadata }) => pods.get(metadata.name)?.toSorted(scheduledFirst)[0] ?? []);
  const available = first.filter((pod) => isPodAvailable(pod, minReadySecondsOf(set), now)).length;
  return {
    desiredNumberScheduled: desired.length,
    currentNumberScheduled: first.length,
    numberMisscheduled: nodes.filter((node) => !shouldRun(node) && isScheduled(node)).length,
    numberReady: first.filter(isPodReady).length,
    updatedNumberScheduled: first.filter((pod) => isUpdated(set, pod, hash)).length,
    numberAvailable: available,
    numberUnavailable: desired.length - available,
  };
}

/** The generation counts as observed only when the sync has acted on it. */
export async function updateStatus(
  set: DaemonSet,
  nodes: readonly StoredNode[],
  hash: string,
  { hasActed }: { readonly hasActed: boolean },
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const { clock, comparesTaints } = deps;
  const pods = await podsByNode(set, deps, signal);
  const counts = countPods(set, nodes, pods, { hash, now: clock.now(), comparesTaints });
  const { generation = 0 } = set.metadata;
  const key = objectKey(set);
  const isSame = (Object.keys(counts) as (keyof Counts)[]).every((name) => counts[name] === (set.status?.[name] ?? 0));
  if (!isSame || (set.status?.observedGeneration ?? 0) < generation) {
    const observed = hasActed && generation !== 0 ? { observedGeneration: generation } : {};
    const { metadata } = await writeStatus(set, { ...counts, ...observed }, deps, signal);
    deps.consistency.wroteAt(key, metadata.uid, DaemonSets, metadata.resourceVersion);
  }
  const minReadySeconds = minReadySecondsOf(set);
  if (minReadySeconds > 0 && counts.numberReady !== counts.numberAvailable)
    deps.syncAfter(key, minReadySeconds * 1000, "minReadySeconds");
}

/** After a refusal the counts are written on the object that a live read returns; the rest of its status stays. */
async function writeStatus(
  set: DaemonSet,
  counts: Counts & Pick<DaemonSetStatus, "observedGeneration">,
  deps: Deps,
  signal: AbortSignal,
): Promise<DaemonSet> {
  const { namespace, name } = set.metadata;
  let target = set;
  for (let tries = 1; ; tries++) {
    try {
      const status = withoutZeros({ ...target.status, ...counts });
      return await deps.setsApi.updateStatus({ object: { ...target, status } }, signal);
    } catch (error) {
      if (tries >= TRIES_MAX)
        throw new Error(`error storing status for daemon set ${namespace}/${name}: ${errorMessage(error)}`, {
          cause: error,
        });
    }
    target = await deps.setsApi.get({ namespace, name }, signal);
  }
}

/** As Go writes it: these counts are left out when 0. */
function withoutZeros(status: DaemonSetStatus): DaemonSetStatus {
  const { updatedNumberScheduled, numberAvailable, numberUnavailable, ...rest } = status;
  return {
    ...rest,
    ...(updatedNumberScheduled ? { updatedNumberScheduled } : {}),
    ...(numberAvailable ? { numberAvailable } : {}),
    ...(numberUnavailable ? { numberUnavailable } : {}),
  };
}
