// The status column of `kubectl get pods`.
// Upstream: pkg/printers/internalversion/printers.go, printPod

import type * as core from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { ageOf, columns, humanDuration, nameOf, orNone, type PrintedRow, type Printer } from "#kinds/parts/printer.ts";

const COMPLETED = {
  Succeeded: "The pod has completed successfully.",
  Failed: "The pod failed.",
} as const;

interface Progress {
  reason: string;
  ready: number;
  restarts: number;
  lastRestart: EpochMs | undefined;
}

const isTrue = (status: core.PodStatus, type: string): boolean =>
  status.conditions?.find((condition) => condition.type === type)?.status === "True";

function finishedAt({ lastState }: core.ContainerStatus): EpochMs | undefined {
  return timeOrUndefined(lastState?.terminated?.finishedAt);
}

function later(a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

/** "Completed", "Signal:9" or "ExitCode:1". */
function exitText({ reason, signal, exitCode = 0 }: core.ContainerStateTerminated): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

/** Visits init containers up to the first that is not done. Sidecars also count along with the main containers. */
function initProgress(pod: core.Pod, progress: Progress): { isInitializing: boolean; sidecars: Progress } {
  const sidecars: Progress = { reason: "", ready: 0, restarts: 0, lastRestart: undefined };
  const inits = pod.spec?.initContainers ?? [];
  for (const [i, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const isSidecar = inits.findLast(({ name }) => name === status.name)?.restartPolicy === "Always";
    for (const counted of isSidecar ? [progress, sidecars] : [progress]) {
      counted.restarts += status.restartCount ?? 0;
      counted.lastRestart = later(counted.lastRestart, finishedAt(status));
    }
    const { terminated, waiting } = status.state ?? {};
    if (terminated && (terminated.exitCode ?? 0) === 0) continue;
    if (isSidecar && status.started) {
      if (status.ready) progress.ready++;
      continue;
    }
    if (terminated) progress.reason = `Init:${exitText(terminated)}`;
    else if (waiting?.reason && waiting.reason !== "PodInitializing") progress.reason = `Init:${waiting.reason}`;
    else progress.reason = `Init:${i}/${inits.length}`;
    return { isInitializing: true, sidecars };
  }
  return { isInitializing: false, sidecars };
}

function mainProgress(status: core.PodStatus, progress: Progress): void {
  let isRunning = false;
  let failure = "";
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    progress.restarts += container.restartCount ?? 0;
    progress.lastRestart = later(progress.lastRestart, finishedAt(container));
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) progress.reason = waiting.reason;
    else if (terminated) {
      progress.reason = exitText(terminated);
      if (terminated.exitCode) failure = progress.reason;
    } else if (container.ready && running) {
      isRunning = true;
      progress.ready++;
    }
  }
  if (progress.reason !== "Completed") return;
  const isReady = status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
  if (isRunning && isReady) progress.reason = "Running";
  else if (failure !== "") progress.reason = failure;
  else if (isRunning) progress.reason = "NotReady";
}

function progressOf(pod: core.Pod): Progress {
  const status = pod.status ?? {};
  const isGated = status.conditions?.some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  const reason = isGated ? "SchedulingGated" : status.reason || (status.phase ?? "");
  const progress: Progress = { reason, ready: 0, restarts: 0, lastRestart: undefined };
  const { isInitializing, sidecars } = initProgress(pod, progress);
  if (!isInitializing || isTrue(status, "Initialized")) {
    progress.restarts = sidecars.restarts;
    progress.lastRestart = sidecars.lastRestart;
    mainProgress(status, progress);
  }
  if (pod.metadata?.deletionTimestamp) {
    if (status.reason === "NodeLost") progress.reason = "Unknown";
    else if (status.phase !== "Failed" && status.phase !== "Succeeded") progress.reason = "Terminating";
  }
  return progress;
}

function readinessGates({ spec, status }: core.Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  return `${gates.filter(({ conditionType }) => isTrue(status ?? {}, conditionType)).length}/${gates.length}`;
}

function row(object: KubeObject, now: EpochMs): PrintedRow {
  const pod = object as core.Pod;
  const { spec, status } = pod;
  const { reason, ready, restarts, lastRestart } = progressOf(pod);
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const total = (spec?.containers ?? []).length + sidecars.length;
  const restarted = restarts === 0 || lastRestart === undefined ? "" : ` (${humanDuration(now - lastRestart)} ago)`;
  const cells = [
    nameOf(pod),
    `${ready}/${total}`,
    reason,
    `${restarts}${restarted}`,
    ageOf(pod, now),
    orNone(status?.podIPs?.[0]?.ip),
    orNone(spec?.nodeName),
    orNone(status?.nominatedNodeName),
    readinessGates(pod),
  ];
  const phase = status?.phase;
  if (phase !== "Succeeded" && phase !== "Failed") return { cells };
  return { cells, conditions: [{ type: "Completed", status: "True", reason: phase, message: COMPLETED[phase] }] };
}

export const podPrinter: Printer = {
  columns: columns("Name|Ready|Status|Restarts|Age|IP*|Node*|Nominated Node*|Readiness Gates*"),
  row,
};
