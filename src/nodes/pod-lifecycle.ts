// The life of a pod on a simulated node, step by step: what its status says next, when, and which events tell of it.
// The steps follow from the stored status alone, so a cluster that is started again goes on where it was.

import type { Container, ContainerState, ContainerStatus, Pod, PodStatus } from "#api/generated/types/core-v1.ts";
import { durationOfMs, formatDuration } from "#api/go-duration.ts";
import type { Stored } from "#api/resource.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import type { Behaviour } from "./behaviour.ts";
import { conditions, scheduledOf } from "./pod-conditions.ts";
import {
  backOffEvents,
  firstStartEvents,
  type NodeEvent,
  ON_PURPOSE,
  podInWords,
  pullFailureEvents,
  restartEvents,
  unhealthyEvents,
} from "./pod-events.ts";

export type Step =
  | { readonly kind: "rest" }
  | { readonly kind: "wait"; readonly forMs: number; readonly reason: string }
  | { readonly kind: "report"; readonly status: PodStatus; readonly events: readonly NodeEvent[] };

const REST: Step = { kind: "rest" };
const BACK_OFF_MS = 10_000;
const BACK_OFF_MAX_MS = 300_000;
/** Of a container that ended with its node. */
const LOST_EXIT_CODE = 255;

/** lostBeforeMs: the node has lost the containers that started before this time. */
export function nextStep(
  pod: Stored<Pod>,
  behaviour: Behaviour,
  now: EpochMs,
  lostBeforeMs: EpochMs = Number.NEGATIVE_INFINITY,
): Step {
  if (isPodTerminal(pod)) return REST;
  const statuses = pod.status?.containerStatuses ?? [];
  const [first] = statuses;
  if (first === undefined) return start(pod, behaviour, now);
  const { running, waiting, terminated } = first.state ?? {};
  if (waiting?.reason === "ImagePullBackOff")
    return behaviour.isImageMissing ? REST : report(started(pod, behaviour, now), firstStartEvents(pod));
  if (terminated !== undefined || waiting !== undefined) return restart(pod, first, behaviour, now);
  if (running === undefined) return REST;
  const startMs = timeOrUndefined(running.startedAt) ?? now;
  if (startMs < lostBeforeMs) return end(pod, { exitCode: LOST_EXIT_CODE, reason: "Unknown" }, now);
  const endMs = startMs + (behaviour.runMs ?? Number.POSITIVE_INFINITY);
  if (endMs <= now) return end(pod, behaviour, now);
  const readiness = readinessAt(behaviour, now - startMs);
  if (first.ready !== readiness.isReady)
    return report(withReadiness(pod, readiness.isReady, now), readiness.isReady ? [] : unhealthyEvents(pod));
  if (isTakenForUnready(pod, first)) return report(readyAgain(pod, now), []);
  const waitMs = Math.min(endMs - now, readiness.forMs);
  return waitMs === Number.POSITIVE_INFINITY ? REST : wait(waitMs, "containers are running");
}

interface Readiness {
  readonly isReady: boolean;
  /** Until it changes. */
  readonly forMs: number;
}

function readinessAt({ isReady, flapMs }: Behaviour, runMs: number): Readiness {
  if (!isReady || flapMs === undefined) return { isReady, forMs: Number.POSITIVE_INFINITY };
  const flaps = Math.floor(runMs / flapMs);
  return { isReady: flaps % 2 === 0, forMs: (flaps + 1) * flapMs - runMs };
}

function withReadiness(pod: Stored<Pod>, ready: boolean, now: EpochMs): PodStatus {
  return {
    conditions: conditions(pod, formatTime(now), { Initialized: true, ContainersReady: ready, Ready: ready }),
    containerStatuses: (pod.status?.containerStatuses ?? []).map((status) => ({ ...status, ready })),
  };
}

/** The node lifecycle controller says that pods of a node it does not hear of are not ready; the node knows better. */
function isTakenForUnready({ status }: Pod, { ready }: ContainerStatus): boolean {
  return (
    ready &&
    (status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "False") ?? false)
  );
}

function readyAgain(pod: Stored<Pod>, now: EpochMs): PodStatus {
  return { conditions: conditions(pod, formatTime(now), { Initialized: true, ContainersReady: true, Ready: true }) };
}

const wait = (forMs: number, reason: string): Step => ({ kind: "wait", forMs, reason });
const report = (status: PodStatus, events: readonly NodeEvent[]): Step => ({ kind: "report", status, events });
function start(pod: Stored<Pod>, behaviour: Behaviour, now: EpochMs): Step {
  // A pod that was created for its node has met no scheduler.
  const boundAt = scheduledOf(pod)?.lastTransitionTime ?? pod.metadata.creationTimestamp;
  const leftMs = (timeOrUndefined(boundAt) ?? now) + behaviour.startMs - now;
  if (leftMs > 0) return wait(leftMs, "containers are starting");
  if (behaviour.isImageMissing) return report(withoutImage(pod, now), pullFailureEvents(pod));
  return report(started(pod, behaviour, now), firstStartEvents(pod));
}

/** All containers run; init containers have done their work before, sidecars among them go on. */
function started(pod: Stored<Pod>, { isReady }: Behaviour, now: EpochMs): PodStatus {
  const time = formatTime(now);
  const running: ContainerState = { running: { startedAt: time } };
  const completed: ContainerState = {
    terminated: { exitCode: 0, reason: "Completed", startedAt: time, finishedAt: time },
  };
  const initContainers = pod.spec?.initContainers ?? [];
  return {
    phase: "Running",
    startTime: pod.status?.startTime ?? time,
    conditions: conditions(pod, time, { Initialized: true, ContainersReady: isReady, Ready: isReady }),
    ...(initContainers.length === 0
      ? {}
      : {
          initContainerStatuses: initContainers.map((container) =>
            container.restartPolicy === "Always"
              ? containerStatus(pod, container, running, true)
              : containerStatus(pod, container, completed, true),
          ),
        }),
    containerStatuses: (pod.spec?.containers ?? []).map((container) =>
      containerStatus(pod, container, running, isReady),
    ),
  };
}

function withoutImage(pod: Stored<Pod>, now: EpochMs): PodStatus {
  const time = formatTime(now);
  const isInitialized = (pod.spec?.initContainers ?? []).length === 0;
  return {
    phase: "Pending",
    startTime: time,
    conditions: conditions(pod, time, { Initialized: isInitialized, ContainersReady: false, Ready: false }),
    containerStatuses: (pod.spec?.containers ?? []).map((container) => {
      const message = `Back-off pulling image "${container.image ?? ""}": ErrImagePull: ${ON_PURPOSE}`;
      return {
        ...containerStatus(pod, container, { waiting: { reason: "ImagePullBackOff", message } }, false),
        imageID: "",
      };
    }),
  };
}

/** The containers have run for their time. */
function end(
  pod: Stored<Pod>,
  {
    exitCode,
    reason = exitCode === 0 ? "Completed" : "Error",
  }: { readonly exitCode: number; readonly reason?: string },
  now: EpochMs,
): Step {
  const time = formatTime(now);
  const isSuccess = exitCode === 0;
  const isLast = pod.spec?.restartPolicy === "Never" || (pod.spec?.restartPolicy === "OnFailure" && isSuccess);
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((status) => ({
    ...status,
    ready: false,
    started: false,
    state: { terminated: { exitCode, reason, startedAt: status.state?.running?.startedAt ?? time, finishedAt: time } },
  }));
  const ended = isSuccess ? "Succeeded" : "Failed";
  return report(
    {
      phase: isLast ? ended : "Running",
      conditions: conditions(
        pod,
        time,
        { Initialized: true, ContainersReady: false, Ready: false },
        isLast ? ended : undefined,
      ),
      containerStatuses,
    },
    [],
  );
}

/** A container that has ended runs again after its back-off. */
function restart(pod: Stored<Pod>, first: ContainerStatus, behaviour: Behaviour, now: EpochMs): Step {
  const { terminated } = first.state ?? first.lastState ?? {};
  const ended = terminated ?? first.lastState?.terminated;
  const backOffMs = Math.min(BACK_OFF_MS * 2 ** first.restartCount, BACK_OFF_MAX_MS);
  const leftMs = (timeOrUndefined(ended?.finishedAt) ?? now) + backOffMs - now;
  if (leftMs <= 0) {
    const { initContainerStatuses: _, ...status } = started(pod, behaviour, now);
    return report(
      {
        ...status,
        containerStatuses: (status.containerStatuses ?? []).map((again) => ({
          ...again,
          restartCount: first.restartCount + 1,
          ...(ended === undefined ? {} : { lastState: { terminated: ended } }),
        })),
      },
      restartEvents(pod),
    );
  }
  if (first.state?.waiting !== undefined) return wait(leftMs, "back-off of a container that has ended");
  const backOff = formatDuration(durationOfMs(backOffMs));
  const messageFor = (container: string): string =>
    `back-off ${backOff} restarting failed container=${container} pod=${podInWords(pod)}`;
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((status) => ({
    ...status,
    state: { waiting: { reason: "CrashLoopBackOff", message: messageFor(status.name) } },
    ...(status.state === undefined ? {} : { lastState: status.state }),
  }));
  const time = formatTime(now);
  return report(
    {
      phase: "Running",
      conditions: conditions(pod, time, { Initialized: true, ContainersReady: false, Ready: false }),
      containerStatuses,
    },
    backOffEvents(pod),
  );
}

function containerStatus(
  { metadata: { uid } }: Stored<Pod>,
  { name, image = "", resources = {} }: Container,
  state: ContainerState,
  ready: boolean,
): ContainerStatus {
  const isRunning = state.running !== undefined;
  return {
    name,
    image,
    // Without them the node is taken for one that cannot resize.
    resources,
    imageID: `simulated://${image}`,
    ...(state.waiting === undefined ? { containerID: `simulated://${uid}/${name}` } : {}),
    ready,
    started: isRunning,
    restartCount: 0,
    state,
  };
}
