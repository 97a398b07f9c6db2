// The life of a pod on a simulated node, step by step: what its status says next, when, and which events tell of it.
// The steps follow from the stored status alone, so a cluster that is started again goes on where it was.

import type { Pod, PodCondition, PodStatus } from "#api/generated/types/core-v1.ts";
import { wrappedSecondsMs } from "#api/int64.ts";
import type { Stored } from "#api/resource.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { isPodTerminal, podCondition } from "#rules/pod-status.ts";
import type { Behaviour } from "./behaviour.ts";
import { killed, moveContainer, newStatus, stopped } from "./container-life.ts";
import { hasBegun, initPlaces, mainPlaces, type Place, statusAt } from "./places.ts";
import { areKnown, conditions } from "./pod-conditions.ts";
import { DEADLINE_EVENT, type NodeEvent, stopEvent } from "./pod-events.ts";
import { isInitDone, type Phase, podPhase, type Standing } from "./pod-phase.ts";

export type Step =
  | { readonly kind: "rest" }
  | { readonly kind: "wait"; readonly forMs: number; readonly reason: string; readonly events: readonly NodeEvent[] }
  | { readonly kind: "report"; readonly status: PodStatus; readonly events: readonly NodeEvent[] };

const REST: Step = { kind: "rest" };
/** Containers that take longer to start are reported as being created. */
const CREATING_MS = 1000;

/** The containers of a pod, and what has come of this look at them. */
interface Cast {
  readonly inits: readonly Standing[];
  readonly mains: readonly Standing[];
  readonly events: readonly NodeEvent[];
  /** When there is more to do. */
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
    const cast = play(pod, behaviour, now, lostBeforeMs);
    return outcome(pod, { ...cast, dueMs: Math.min(cast.dueMs, deadlineMs) }, now);
  }
  if (pod.status?.containerStatuses === undefined && startMs - now > CREATING_MS) {
    return outcome(pod, { ...standing(pod), events: [], dueMs: startMs }, now);
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
  const { inits, mains } = standing(pod);
  const runs = ({ status }: Standing): boolean => status.state?.running !== undefined;
  const end = (one: Standing): Standing => (runs(one) ? { ...one, status: killed(one, one.status, now) } : one);
  const cast = { inits: inits.map(end), mains: mains.map(end) };
  const events = [DEADLINE_EVENT, ...[...inits, ...mains].filter(runs).map(stopEvent)];
  const { reason, message } = DEADLINE_EVENT;
  return report({ ...statusOf(pod, "Failed", cast, now), reason, message }, events);
}

function boundMs(pod: Stored<Pod>, now: EpochMs): EpochMs {
  // A pod that was created for its node has met no scheduler.
  const boundAt = podCondition(pod, "PodScheduled")?.lastTransitionTime ?? pod.metadata.creationTimestamp;
  return timeOrUndefined(boundAt) ?? now;
}

const hasStarted = ({ status }: Pod): boolean =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].some(hasBegun);

/** As the status has them; those that it does not have wait. */
function standing(pod: Pod): Pick<Cast, "inits" | "mains"> {
  const inits = initPlaces(pod);
  const reason = inits.length === 0 ? "ContainerCreating" : "PodInitializing";
  const stand = (place: Place): Standing => ({ ...place, status: statusAt(pod, place) ?? newStatus(place, reason) });
  return { inits: inits.map(stand), mains: mainPlaces(pod).map(stand) };
}

/** Init containers go one after the other; the others go when these are done. Sidecars are kept running. */
function play(pod: Stored<Pod>, behaviour: Behaviour, now: EpochMs, lostBeforeMs: EpochMs): Cast {
  const { inits, mains } = standing(pod);
  const events: NodeEvent[] = [];
  let dueMs = Number.POSITIVE_INFINITY;
  const move = (one: Standing): Standing => {
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
  return { inits: movedInits, mains: movedMains, events, dueMs };
}

function outcome(pod: Stored<Pod>, cast: Cast, now: EpochMs): Step {
  const phase = podPhase(pod, cast.inits, cast.mains);
  const { inits, mains, events, dueMs } = phase === "Succeeded" || phase === "Failed" ? closed(cast, now) : cast;
  const status = statusOf(pod, phase, { inits, mains }, now);
  const isSame = (one: Standing): boolean => statusAt(pod, one) === one.status;
  if (phase === pod.status?.phase && inits.every(isSame) && mains.every(isSame) && areKnown(pod, status.conditions)) {
    if (dueMs === Number.POSITIVE_INFINITY) return REST;
    return { kind: "wait", forMs: Math.max(dueMs - now, 0), reason: "containers are running", events };
  }
  return report(status, events);
}

const report = (status: PodStatus, events: readonly NodeEvent[]): Step => ({ kind: "report", status, events });

function statusOf(
  pod: Stored<Pod>,
  phase: Phase,
  { inits, mains }: Pick<Cast, "inits" | "mains">,
  now: EpochMs,
): PodStatus & { readonly conditions: readonly PodCondition[] } {
  const time = formatTime(now);
  return {
    phase,
    startTime: pod.status?.startTime ?? time,
    conditions: conditions(pod, time, phase, inits, mains),
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits.map(({ status }) => status) }),
    containerStatuses: mains.map(({ status }) => status),
  };
}

/** The pod's work is over, so its sidecars are stopped. */
function closed(cast: Cast, now: EpochMs): Cast {
  const isLeft = ({ role, status }: Standing): boolean => role === "sidecar" && status.state?.running !== undefined;
  const inits = cast.inits.map((one) => (isLeft(one) ? { ...one, status: stopped(one, one.status, now) } : one));
  return { ...cast, inits, events: [...cast.events, ...cast.inits.filter(isLeft).map(stopEvent)] };
}
