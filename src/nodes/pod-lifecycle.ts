// The life cycle of a pod on a simulated node, step by step: its next status, when it is due, and its events. The steps
// depend only on the stored status, so a restarted cluster continues where it was.

import type { Pod, PodCondition, PodStatus } from "#api/generated/types/core-v1.ts";
import { wrappedSecondsMs } from "#api/int64.ts";
import type { Stored } from "#api/resource.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { isPodTerminal, podCondition } from "#rules/pod-status.ts";
import type { Behaviour } from "./behaviour.ts";
import { ended, killed, moveContainer, newStatus, stopped, unlocated } from "./container-life.ts";
import { ephemeralPlaces, hasBegun, initPlaces, mainPlaces, type Place, statusAt } from "./places.ts";
import { areKnown, conditions } from "./pod-conditions.ts";
import { DEADLINE_EVENT, type NodeEvent, stopEvent } from "./pod-events.ts";
import { isInitDone, type KnownContainer, type Phase, podPhase } from "./pod-phase.ts";

export type Step =
  | { readonly kind: "rest" }
  | { readonly kind: "wait"; readonly forMs: number; readonly reason: string; readonly events: readonly NodeEvent[] }
  | { readonly kind: "report"; readonly status: PodStatus; readonly events: readonly NodeEvent[] };

const REST: Step = { kind: "rest" };
/** Containers that take longer to start are reported as ContainerCreating. */
const CREATING_MS = 1000;

/** The containers of a pod. */
interface PodContainers {
  readonly inits: readonly KnownContainer[];
  readonly mains: readonly KnownContainer[];
  readonly ephemerals: readonly KnownContainer[];
}

/** The containers after one pass. */
interface Round extends PodContainers {
  readonly events: readonly NodeEvent[];
  /** The time of the next step. */
  readonly dueMs: EpochMs;
}

/** lostBeforeMs: the node has lost the containers that started before this time. */
export function nextStep(
  pod: Stored<Pod>,
  behaviour: Behaviour,
  now: EpochMs,
  lostBeforeMs: EpochMs = Number.NEGATIVE_INFINITY,
): Step {
  if (isPodTerminal(pod)) return REST;
  const deadlineMs = deadlineOf(pod);
  if (deadlineMs <= now) return expire(pod, now);
  const startMs = boundMs(pod, now) + behaviour.startMs;
  if (startMs <= now || hasStarted(pod)) {
    const containers = play(pod, behaviour, now, lostBeforeMs);
    return outcome(pod, { ...containers, dueMs: Math.min(containers.dueMs, deadlineMs) }, now);
  }
  if (pod.status?.containerStatuses === undefined && startMs - now > CREATING_MS) {
    return outcome(pod, { ...containersOf(pod), events: [], dueMs: startMs }, now);
  }
  return { kind: "wait", forMs: startMs - now, reason: "containers are starting", events: [] };
}

function deadlineOf({ spec, status }: Pod): EpochMs {
  const startMs = timeOrUndefined(status?.startTime);
  if (spec?.activeDeadlineSeconds === undefined || startMs === undefined) return Number.POSITIVE_INFINITY;
  return startMs + wrappedSecondsMs(spec.activeDeadlineSeconds);
}

/** Upstream: pkg/kubelet/active_deadline.go */
function expire(pod: Stored<Pod>, now: EpochMs): Step {
  const containers = containersOf(pod);
  const events = [DEADLINE_EVENT, ...allOf(containers).filter(runs).map(stopEvent)];
  const { reason, message } = DEADLINE_EVENT;
  return report({ ...statusOf(pod, "Failed", mapped(containers, ending(killed, now)), now), reason, message }, events);
}

/**
 * The last status of a deleted pod. isKilled: its grace period was shorter than the time that its containers need to stop.
 * Upstream: pkg/kubelet/status/status_manager.go, TerminatePod
 */
export function lastStatus(
  pod: Stored<Pod>,
  behaviour: Behaviour,
  now: EpochMs,
  isKilled: boolean,
  lostBeforeMs: EpochMs = Number.NEGATIVE_INFINITY,
): PodStatus {
  const before = containersOf(pod);
  const hasRun = before.mains.some(({ status }) => hasBegun(status));
  const end = (one: KnownContainer): KnownContainer => {
    const status = ended(one, one.status, { pod, behaviour: behaviour.of(one), now, lostBeforeMs }, isKilled);
    return { ...one, status: hasRun && one.role === "main" && !hasBegun(status) ? unlocated(status) : status };
  };
  const containers = mapped(before, end);
  const isSuccess = containers.mains.every(({ status }) => status.state?.terminated?.exitCode === 0);
  return statusOf(pod, isSuccess ? "Succeeded" : "Failed", containers, now);
}

const allOf = ({ inits, mains, ephemerals }: PodContainers): readonly KnownContainer[] => [
  ...inits,
  ...mains,
  ...ephemerals,
];

const mapped = (
  { inits, mains, ephemerals }: PodContainers,
  change: (one: KnownContainer) => KnownContainer,
): PodContainers => ({
  inits: inits.map(change),
  mains: mains.map(change),
  ephemerals: ephemerals.map(change),
});

const runs = ({ status }: KnownContainer): boolean => status.state?.running !== undefined;

const ending =
  (end: typeof stopped, now: EpochMs) =>
  (one: KnownContainer): KnownContainer =>
    runs(one) ? { ...one, status: end(one, one.status, now) } : one;

function boundMs(pod: Stored<Pod>, now: EpochMs): EpochMs {
  // A pod that was created with a node name was not scheduled.
  const boundAt = podCondition(pod, "PodScheduled")?.lastTransitionTime ?? pod.metadata.creationTimestamp;
  return timeOrUndefined(boundAt) ?? now;
}

const hasStarted = ({ status }: Pod): boolean =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].some(hasBegun);

/** The containers of the status; missing ones are waiting. */
function containersOf(pod: Pod): PodContainers {
  const inits = initPlaces(pod);
  const reason = inits.length === 0 ? "ContainerCreating" : "PodInitializing";
  const withStatus = (place: Place): KnownContainer => ({
    ...place,
    status: statusAt(pod, place) ?? newStatus(place, reason),
  });
  return {
    inits: inits.map(withStatus),
    mains: mainPlaces(pod).map(withStatus),
    ephemerals: ephemeralPlaces(pod).map(withStatus),
  };
}

/** Init containers run one after the other, then the other containers. Sidecars keep running. */
function play(pod: Stored<Pod>, behaviour: Behaviour, now: EpochMs, lostBeforeMs: EpochMs): Round {
  const { inits, mains, ephemerals } = containersOf(pod);
  const events: NodeEvent[] = [];
  let dueMs = Number.POSITIVE_INFINITY;
  const move = (one: KnownContainer): KnownContainer => {
    const moved = moveContainer(one, one.status, { pod, behaviour: behaviour.of(one), now, lostBeforeMs });
    events.push(...moved.events);
    dueMs = Math.min(dueMs, moved.dueMs);
    return moved.status === one.status ? one : { ...one, status: moved.status };
  };
  const isInitialized = mains.some(({ status }) => hasBegun(status));
  let areDone = true;
  const movedInits = inits.map((init, index) => {
    const isPast = isInitialized || inits.some(({ status }, later) => later > index && hasBegun(status));
    if (isPast ? init.role === "init" : !areDone) return init;
    const moved = move(init);
    areDone &&= isPast || isInitDone(moved);
    return moved;
  });
  const movedMains = isInitialized || areDone ? mains.map(move) : mains;
  return { inits: movedInits, mains: movedMains, ephemerals: ephemerals.map(move), events, dueMs };
}

function outcome(pod: Stored<Pod>, round: Round, now: EpochMs): Step {
  const phase = podPhase(pod, round.inits, round.mains);
  const { events, dueMs, ...containers } = phase === "Succeeded" || phase === "Failed" ? closed(round, now) : round;
  const status = statusOf(pod, phase, containers, now);
  const isSame = (one: KnownContainer): boolean => statusAt(pod, one) === one.status;
  const isObserved = status.observedGeneration === pod.status?.observedGeneration;
  if (
    phase === pod.status?.phase &&
    isObserved &&
    allOf(containers).every(isSame) &&
    areKnown(pod, status.conditions)
  ) {
    if (dueMs === Number.POSITIVE_INFINITY) return REST;
    return { kind: "wait", forMs: Math.max(dueMs - now, 0), reason: "containers are running", events };
  }
  return report(status, events);
}

const report = (status: PodStatus, events: readonly NodeEvent[]): Step => ({ kind: "report", status, events });

function statusOf(
  pod: Stored<Pod>,
  phase: Phase,
  { inits, mains, ephemerals }: PodContainers,
  now: EpochMs,
): PodStatus & { readonly conditions: readonly PodCondition[] } {
  const time = formatTime(now);
  const { generation } = pod.metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    startTime: pod.status?.startTime ?? time,
    conditions: conditions(pod, time, phase, inits, mains),
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits.map(({ status }) => status) }),
    containerStatuses: mains.map(({ status }) => status),
    ...(ephemerals.length === 0 ? {} : { ephemeralContainerStatuses: ephemerals.map(({ status }) => status) }),
  };
}

/** The pod's work is done, so containers that still run are stopped. */
function closed(round: Round, now: EpochMs): Round {
  const events = [...round.events, ...allOf(round).filter(runs).map(stopEvent)];
  return { ...round, ...mapped(round, ending(stopped, now)), events };
}
