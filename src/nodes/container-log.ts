// The log of a simulated container: a line at its start, one for each minute that it has run, and one at its end. The
// lines depend only on the stored status and the time, so every reader sees the same. Upstream, for the refusals:
// pkg/kubelet/kubelet_pods.go, validateContainerLogStatus

import type { ContainerStateTerminated, ContainerStatus, Pod } from "#api/generated/types/core-v1.ts";
import { newBadRequest } from "#api/status-error.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

const MINUTE_MS = 60_000;

/** One run of a container, from a start to an end. */
export interface ContainerRun {
  readonly container: string;
  readonly image: string;
  readonly restarts: number;
  readonly startMs: EpochMs;
  /** Absent: still running. */
  readonly end?: { readonly atMs: EpochMs; readonly exitCode: number };
}

export interface LogLine {
  readonly atMs: EpochMs;
  readonly text: string;
}

/** The run of a log request. Throws a refusal in a kubelet's words. */
export function runOf(pod: Pod, podName: string, container: string, isPrevious: boolean): ContainerRun {
  const where = `container "${container}" in pod "${podName}"`;
  const status = statusOf(pod, container);
  const { state, lastState } = status ?? {};
  const [latest, before] = status === undefined ? [] : runsOf(status);
  if (isPrevious) {
    const run = lastState?.terminated === undefined ? undefined : (before ?? latest);
    if (run === undefined) throw newBadRequest(`previous terminated ${where} not found`);
    return run;
  }
  if (latest !== undefined) return latest;
  const reason = state?.waiting?.reason ?? "ContainerCreating";
  const why = reason === "ImagePullBackOff" ? "trying and failing to pull image" : reason;
  throw newBadRequest(`${where} is waiting to start: ${why}`);
}

/** The current state of the same run; undefined when it is no longer known. */
export function sameRun(pod: Pod | undefined, run: ContainerRun): ContainerRun | undefined {
  const status = pod && statusOf(pod, run.container);
  return status && runsOf(status).find(({ restarts }) => restarts === run.restarts);
}

function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    ({ name }) => name === container,
  );
}

/** The latest run first. While a container waits to restart, its latest run is in its last state. */
function runsOf({ name, image, restartCount, state, lastState }: ContainerStatus): readonly ContainerRun[] {
  const common = { container: name, image };
  const ended = ({ startedAt, finishedAt, exitCode }: ContainerStateTerminated, restarts: number): ContainerRun => {
    const atMs = timeOrUndefined(finishedAt) ?? 0;
    return { ...common, restarts, startMs: timeOrUndefined(startedAt) ?? atMs, end: { atMs, exitCode } };
  };
  const runs: ContainerRun[] = [];
  if (state?.running !== undefined) {
    runs.push({ ...common, restarts: restartCount, startMs: timeOrUndefined(state.running.startedAt) ?? 0 });
  } else if (state?.terminated !== undefined) runs.push(ended(state.terminated, restartCount));
  if (lastState?.terminated !== undefined) runs.push(ended(lastState.terminated, restartCount - runs.length));
  return runs;
}

/** All lines of the run up to now, beginning with minute `from`. */
export function linesOf(run: ContainerRun, now: EpochMs, from = 0): readonly LogLine[] {
  const { container, image, restarts, startMs, end } = run;
  const untilMs = end?.atMs ?? now;
  const minutes = Math.max(0, Math.floor((untilMs - startMs) / MINUTE_MS));
  const lines: LogLine[] = [];
  for (let minute = from; minute <= minutes; minute++) {
    const text =
      minute === 0
        ? `simulated container ${container} started: image ${image}, restart ${restarts}`
        : `simulated container ${container} has run for ${minute} min`;
    lines.push({ atMs: startMs + minute * MINUTE_MS, text });
  }
  if (end !== undefined && from <= minutes + 1) {
    lines.push({ atMs: end.atMs, text: `simulated container ${container} exited with code ${end.exitCode}` });
  }
  return lines;
}

export function rendered({ atMs, text }: LogLine, hasTimestamp: boolean): string {
  return hasTimestamp ? `${formatTime(atMs).replace("Z", ".000000000Z")} ${text}\n` : `${text}\n`;
}
