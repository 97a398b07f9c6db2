// The life of a container on a simulated node, one step at a time: from its stored status to the next one, and the time
// of the next step. A container that has ended is reported as terminated before it runs again.
// Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions, doBackOff

import type { ContainerState, ContainerStateTerminated, ContainerStatus, Pod } from "#api/generated/types/core-v1.ts";
import { durationOfMs, formatDuration } from "#api/go-duration.ts";
import type { Stored } from "#api/resource.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { containerShouldRestart } from "#rules/pod-conditions.ts";
import type { ContainerBehaviour } from "./behaviour.ts";
import type { Place } from "./places.ts";
import {
  backOffEvent,
  changeEvent,
  type NodeEvent,
  ON_PURPOSE,
  podInWords,
  probeKillEvent,
  pullFailureEvents,
  startEvents,
  unhealthyEvent,
  unreadyEvent,
} from "./pod-events.ts";
import { type Probed, probedAt } from "./probes.ts";

export interface Move {
  /** The same object if nothing has changed. */
  readonly status: ContainerStatus;
  readonly events: readonly NodeEvent[];
  /** The time of the next step. */
  readonly dueMs: EpochMs;
}

/** The exit codes of a container that was lost with its node, of a killed one, and of one that SIGTERM interrupts. */
const LOST_EXIT_CODE = 255;
const KILLED_EXIT_CODE = 137;
const INTERRUPTED_EXIT_CODE = 143;
const BACK_OFF_MS = 10_000;
const BACK_OFF_MAX_MS = 300_000;
/** A container that ran for longer has recovered, which resets its back-off. */
const RECOVERED_MS = 600_000;
const NEVER = Number.POSITIVE_INFINITY;

interface MoveContext {
  readonly pod: Stored<Pod>;
  readonly behaviour: ContainerBehaviour;
  readonly now: EpochMs;
  /** The node has lost the containers that started before this time. */
  readonly lostBeforeMs: EpochMs;
}

const rest = (status: ContainerStatus, dueMs: EpochMs = NEVER): Move => ({ status, events: [], dueMs });

/** The next step of a container that may run. */
export function moveContainer(place: Place, status: ContainerStatus, at: MoveContext): Move {
  const { running, terminated } = status.state ?? {};
  if (running !== undefined) return goOn(place, status, timeOrUndefined(running.startedAt) ?? at.now, at);
  const ended = terminated ?? status.lastState?.terminated;
  if (ended !== undefined) return comeBack(place, status, ended, at);
  if (!at.behaviour.isImageMissing) return start(place, status, at);
  return status.state?.waiting?.reason === "ImagePullBackOff" ? rest(status) : lackImage(place, status);
}

/** reason: why the container has not started. */
export function newStatus({ container, role }: Place, reason: string): ContainerStatus {
  const { name, image = "", resources = {} } = container;
  return {
    name,
    image,
    // Without them the node would count as one that cannot resize.
    resources,
    imageID: "",
    ready: false,
    // Kubelets do not report readiness and start of an ephemeral container.
    ...(role === "ephemeral" ? {} : { started: false }),
    restartCount: 0,
    state: { waiting: { reason } },
  };
}

function lackImage(place: Place, status: ContainerStatus): Move {
  const message = `Back-off pulling image "${place.container.image ?? ""}": ErrImagePull: ${ON_PURPOSE}`;
  const state: ContainerState = { waiting: { reason: "ImagePullBackOff", message } };
  return { status: { ...status, state }, events: pullFailureEvents(place), dueMs: NEVER };
}

/** Steps without a duration happen at once. */
function start(place: Place, status: ContainerStatus, at: MoveContext, ended?: ContainerStateTerminated): Move {
  const { startupProbe, readinessProbe } = place.container;
  const restartCount = status.restartCount + (ended === undefined ? 0 : 1);
  const started = startupProbe === undefined;
  const running: ContainerStatus = {
    ...status,
    imageID: `simulated://${status.image}`,
    containerID: `simulated://${at.pod.metadata.uid}/${status.name}/${restartCount}`,
    restartCount,
    ...(place.role === "ephemeral" ? {} : { started }),
    ready: started && readinessProbe === undefined && hasReadiness(place) && at.behaviour.isReady,
    state: { running: { startedAt: formatTime(at.now) } },
    ...(ended === undefined ? {} : { lastState: { terminated: ended } }),
  };
  const events = startEvents(place);
  if (place.role === "init" && at.behaviour.runMs === 0) {
    const end = goOn(place, running, at.now, at);
    return { ...end, events: [...events, ...end.events] };
  }
  return { status: running, events, dueMs: at.now };
}

function goOn(place: Place, status: ContainerStatus, startMs: EpochMs, at: MoveContext): Move {
  const { behaviour, now } = at;
  if (startMs < at.lostBeforeMs) return rest(exited(place, status, LOST_EXIT_CODE, now, "Unknown"));
  const endMs = startMs + (behaviour.runMs ?? NEVER);
  if (endMs <= now) return rest(exited(place, status, behaviour.exitCode, now));
  if (!hasReadiness(place)) return rest(status, endMs);
  if (status.image !== (place.container.image ?? "")) return replace(place, status, at);
  const probed = probedAt(place.container, behaviour, now - startMs, {
    started: status.started ?? false,
    ready: status.ready,
  });
  const failures = probed.failures.map((failure) => unhealthyEvent(at.pod, place, failure, status.containerID ?? ""));
  if (probed.killedBy !== undefined) {
    const isRestarted = (place.container.restartPolicy ?? at.pod.spec?.restartPolicy) !== "Never";
    const killed = probeKillEvent(place, probed.killedBy, isRestarted);
    return { status: exited(place, status, KILLED_EXIT_CODE, now), events: [...failures, killed], dueMs: NEVER };
  }
  const dueMs = Math.min(endMs, startMs + probed.dueMs);
  if (probed.started === status.started && probed.ready === status.ready) return { status, events: failures, dueMs };
  return { status: withProbed(status, probed), events: [...failures, ...unready(place, status, probed)], dueMs };
}

/** A container whose image has changed restarts at once, whatever its restart policy. */
function replace(place: Place, status: ContainerStatus, at: MoveContext): Move {
  const ended = killed(place, status, at.now).state?.terminated;
  const again = start(place, { ...status, image: place.container.image ?? "" }, at, ended);
  return { ...again, events: [changeEvent(place), ...again.events] };
}

const hasReadiness = ({ role }: Place): boolean => role === "main" || role === "sidecar";

const withProbed = (status: ContainerStatus, { started, ready }: Probed): ContainerStatus => ({
  ...status,
  started,
  ready,
});

const unready = (place: Place, { ready }: ContainerStatus, probed: Probed): readonly NodeEvent[] =>
  place.container.readinessProbe === undefined && ready && !probed.ready ? [unreadyEvent(place)] : [];

function exited(
  { role }: Place,
  status: ContainerStatus,
  exitCode: number,
  now: EpochMs,
  reason: string = exitCode === 0 ? "Completed" : "Error",
): ContainerStatus {
  const time = formatTime(now);
  const { containerID } = status;
  const startedAt = status.state?.running?.startedAt ?? time;
  const terminated = { exitCode, reason, startedAt, finishedAt: time, ...(containerID ? { containerID } : {}) };
  const ended = { ...status, ready: role === "init" && exitCode === 0, state: { terminated } };
  return role === "ephemeral" ? ended : { ...ended, started: false };
}

/** A sidecar is stopped when the pod's work is done. */
export const stopped = (place: Place, status: ContainerStatus, now: EpochMs): ContainerStatus =>
  exited(place, status, 0, now);

/** The pod's deadline has passed. */
export const killed = (place: Place, status: ContainerStatus, now: EpochMs): ContainerStatus =>
  exited(place, status, KILLED_EXIT_CODE, now);

/** A container of a deleted pod: a server ends with its exit code, unfinished work with a failure. */
export function ended(
  place: Place,
  status: ContainerStatus,
  { behaviour, now, lostBeforeMs }: MoveContext,
  isKilled: boolean,
): ContainerStatus {
  const { running } = status.state ?? {};
  if (running === undefined) {
    const terminated = status.state?.terminated ?? status.lastState?.terminated;
    return terminated === undefined ? status : { ...status, state: { terminated } };
  }
  const startMs = timeOrUndefined(running.startedAt) ?? now;
  if (startMs < lostBeforeMs) return exited(place, status, LOST_EXIT_CODE, now, "Unknown");
  const ownExitCode = behaviour.runMs === undefined ? behaviour.exitCode : INTERRUPTED_EXIT_CODE;
  return exited(place, status, isKilled ? KILLED_EXIT_CODE : ownExitCode, now);
}

/** A container that never ran, in a deleted pod. */
export const unlocated = (status: ContainerStatus): ContainerStatus => ({
  ...status,
  state: {
    terminated: {
      exitCode: KILLED_EXIT_CODE,
      reason: "ContainerStatusUnknown",
      message: "The container could not be located when the pod was terminated",
    },
  },
});

/** A container that has ended restarts after its back-off, if its restart policy allows it. */
function comeBack(place: Place, status: ContainerStatus, ended: ContainerStateTerminated, at: MoveContext): Move {
  const { pod, now } = at;
  if (place.role === "ephemeral") return rest(status);
  if (pod.spec === undefined || !containerShouldRestart(place.container, pod.spec, ended.exitCode)) return rest(status);
  if (place.role === "init" && ended.exitCode === 0) return rest(status);
  const finishedMs = timeOrUndefined(ended.finishedAt) ?? now;
  const backOffMs = backOffOf(status.restartCount, finishedMs - (timeOrUndefined(ended.startedAt) ?? finishedMs));
  const dueMs = finishedMs + backOffMs;
  if (dueMs <= now) return start(place, status, at, ended);
  if (status.state?.waiting !== undefined) return rest(status, dueMs);
  const wait = formatDuration(durationOfMs(backOffMs));
  const message = `back-off ${wait} restarting failed container=${status.name} pod=${podInWords(pod)}`;
  return {
    status: {
      ...status,
      state: { waiting: { reason: "CrashLoopBackOff", message } },
      lastState: { terminated: ended },
    },
    events: [backOffEvent(pod, place)],
    dueMs,
  };
}

/** 0 before the first restart, and after a run in which the container has recovered. */
function backOffOf(restarts: number, ranMs: number): number {
  if (restarts === 0 || ranMs > RECOVERED_MS) return 0;
  return Math.min(BACK_OFF_MS * 2 ** (restarts - 1), BACK_OFF_MAX_MS);
}
