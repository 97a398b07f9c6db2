// Handles events of pods: pods with a node use its resources, pods without one are queued.
// Upstream: pkg/scheduler/eventhandlers.go

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import type { EventHandler } from "#informers/informer.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import { boundPodEvents, hasStatusResources } from "./cluster-event.ts";
import type { ClusterState } from "./cluster-state.ts";
import { podFacts } from "./pod-facts.ts";
import type { SchedulingQueue } from "./scheduling-queue.ts";
import type { VolumeReservations } from "./volume-reservations.ts";

export interface PodHandlerDeps {
  readonly state: ClusterState;
  readonly queue: SchedulingQueue;
  readonly assumed: Set<string>;
  readonly reservations: VolumeReservations;
  readonly schedulerName: string;
}

export function podHandler(deps: PodHandlerDeps): EventHandler<Stored<Pod>> {
  return {
    onAdd: (pod) => note(pod, undefined, deps),
    onUpdate(before, after) {
      const isReplaced = before.metadata.uid !== after.metadata.uid;
      if (isReplaced) drop(before, deps);
      note(after, isReplaced ? undefined : before, deps);
    },
    onDelete: (pod) => drop(pod, deps),
  };
}

function note(pod: Stored<Pod>, before: Stored<Pod> | undefined, deps: PodHandlerDeps): void {
  if (isPodTerminal(pod)) drop(pod, deps);
  else if (pod.spec?.nodeName) noteBound(pod, pod.spec.nodeName, before, deps);
  else noteWaiting(pod, before, deps);
}

function noteBound(pod: Stored<Pod>, nodeName: string, before: Stored<Pod> | undefined, deps: PodHandlerDeps): void {
  const { state, queue, assumed } = deps;
  const { uid } = pod.metadata;
  const placed = state.placed(uid);
  assumed.delete(uid);
  queue.remove(uid);
  const isSame = before !== undefined && placed?.node === nodeName && isSameForScheduling(before, pod);
  const facts = isSame ? { ...placed.facts, pod } : podFacts(pod);
  if (isSame) state.refreshPod(facts);
  else state.setPod(facts, nodeName);
  if (!before?.spec?.nodeName) queue.moveAfter("bound pod added", { pod: facts });
  // Labels that no longer match may also help, so the new labels cannot select the helped pods.
  else for (const event of boundPodEvents(before, pod)) queue.moveAfter(event);
}

/** Pods of other schedulers, and gated pods, are not queued. */
function noteWaiting(pod: Stored<Pod>, before: Stored<Pod> | undefined, deps: PodHandlerDeps): void {
  const { queue, assumed, schedulerName } = deps;
  const { uid, deletionTimestamp } = pod.metadata;
  const isOurs = (pod.spec?.schedulerName || "default-scheduler") === schedulerName;
  const isGated = (pod.spec?.schedulingGates ?? []).length > 0;
  if (!isOurs || isGated || deletionTimestamp !== undefined) {
    queue.remove(uid);
    return;
  }
  if (assumed.has(uid)) return; // the binding is in progress
  const known = queue.factsOf(uid);
  if (known !== undefined && before !== undefined && isSameForScheduling(before, pod)) queue.refresh({ ...known, pod });
  else queue.add(podFacts(pod));
}

function drop({ metadata: { uid } }: Stored<Pod>, { state, queue, assumed, reservations }: PodHandlerDeps): void {
  queue.remove(uid);
  assumed.delete(uid);
  reservations.noteChange(); // a pod that waits for its volumes stops waiting
  const placed = state.placed(uid);
  if (placed === undefined) return;
  state.removePod(uid);
  queue.moveAfter("bound pod deleted", { pod: placed.facts });
}

/** Most updates are status changes. */
function isSameForScheduling(before: Stored<Pod>, after: Stored<Pod>): boolean {
  return (
    before.metadata.generation === after.metadata.generation &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    (before.metadata.labels === after.metadata.labels ||
      JSON.stringify(before.metadata.labels) === JSON.stringify(after.metadata.labels)) &&
    !hasStatusResources(after)
  );
}
