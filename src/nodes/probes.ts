// The results of a running container's probes. They depend on the container's behaviour and its running time, so
// successful probes need no steps. All times count from the container's start.
// Upstream: pkg/kubelet/prober/worker.go

import type { Container, Probe } from "#api/generated/types/core-v1.ts";
import type { ContainerBehaviour } from "./behaviour.ts";

export type ProbeType = "Startup" | "Readiness" | "Liveness";

export interface ProbeFailure {
  readonly type: ProbeType;
  readonly probe: Probe;
  readonly atMs: number;
}

export interface Probed {
  readonly started: boolean;
  readonly ready: boolean;
  /** The probe that failed often enough to kill the container. */
  readonly killedBy?: "startup" | "liveness";
  /** The latest failure of each probe that currently fails. */
  readonly failures: readonly ProbeFailure[];
  /** When the result may change, or a probe fails again. */
  readonly dueMs: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/** known: the container's status. */
export function probedAt(
  { startupProbe, readinessProbe, livenessProbe }: Container,
  behaviour: ContainerBehaviour,
  runMs: number,
  known: { readonly started: boolean; readonly ready: boolean },
): Probed {
  let startedMs = 0;
  if (startupProbe !== undefined) {
    const { delayMs } = timesOf(startupProbe);
    const startup = look(startupProbe, delayMs, startupFails(behaviour), runMs);
    if (!known.started && startup.isSuccess !== true) {
      const killed = startup.isSuccess === false ? { killedBy: "startup" as const } : {};
      const failures = failure("Startup", startupProbe, startup);
      return { started: false, ready: false, ...killed, failures, dueMs: startup.nextMs };
    }
    startedMs = Math.min(tickFrom(startupProbe, delayMs, behaviour.probesFailMs), runMs);
  }
  const first = (probe: Probe): number => Math.max(timesOf(probe).delayMs, startedMs);
  const live = livenessProbe && look(livenessProbe, first(livenessProbe), livenessFails(behaviour), runMs);
  const fails = readinessFails(behaviour, readinessProbe !== undefined);
  const readiness = readinessProbe
    ? look(readinessProbe, first(readinessProbe), fails, runMs)
    : { isSuccess: !fails.at(runMs), nextMs: fails.changesAfter(runMs) };
  return {
    started: true,
    ready: readiness.isSuccess ?? known.ready,
    ...(live?.isSuccess === false ? { killedBy: "liveness" } : {}),
    failures: [
      ...(livenessProbe && live ? failure("Liveness", livenessProbe, live) : []),
      ...(readinessProbe ? failure("Readiness", readinessProbe, readiness) : []),
    ],
    dueMs: Math.min(live?.nextMs ?? NEVER, readiness.nextMs),
  };
}

interface Look {
  /** The common result of the latest probes, if they reach the threshold; absent: the result stays. */
  readonly isSuccess?: boolean;
  /** The time of the latest failed probe. */
  readonly failedMs?: number;
  /** When to check again. */
  readonly nextMs: number;
}

function failure(type: ProbeType, probe: Probe, { failedMs }: Look): readonly ProbeFailure[] {
  return failedMs === undefined ? [] : [{ type, probe, atMs: failedMs }];
}

/** When a probe would fail. */
interface Fails {
  at(runMs: number): boolean;
  /** The next time at which that changes. */
  changesAfter(runMs: number): number;
}

function look(probe: Probe, firstMs: number, fails: Fails, runMs: number): Look {
  if (runMs < firstMs) return { nextMs: firstMs };
  const { periodMs } = timesOf(probe);
  const latest = Math.floor((runMs - firstMs) / periodMs);
  const tickMs = (tick: number): number => firstMs + tick * periodMs;
  const isFailure = fails.at(tickMs(latest));
  const threshold = isFailure ? (probe.failureThreshold ?? 3) : (probe.successThreshold ?? 1);
  let run = 1;
  while (run < threshold && run <= latest && fails.at(tickMs(latest - run)) === isFailure) run++;
  const outcome = run < threshold ? {} : { isSuccess: !isFailure };
  if (isFailure) return { ...outcome, failedMs: tickMs(latest), nextMs: tickMs(latest + 1) };
  if (run < threshold) return { nextMs: tickMs(latest + 1) };
  return { ...outcome, nextMs: tickFrom(probe, firstMs, Math.max(fails.changesAfter(runMs), tickMs(latest + 1))) };
}

/** The time of the first probe at or after this time. */
function tickFrom(probe: Probe, firstMs: number, ms: number): number {
  const { periodMs } = timesOf(probe);
  return ms === NEVER ? NEVER : firstMs + Math.max(0, Math.ceil((ms - firstMs) / periodMs)) * periodMs;
}

function timesOf({ initialDelaySeconds = 0, periodSeconds = 10 }: Probe): {
  readonly delayMs: number;
  readonly periodMs: number;
} {
  return { delayMs: initialDelaySeconds * 1000, periodMs: periodSeconds * 1000 };
}

const startupFails = ({ probesFailMs }: ContainerBehaviour): Fails => ({
  at: (ms) => ms < probesFailMs,
  changesAfter: (ms) => (ms < probesFailMs ? probesFailMs : NEVER),
});

const livenessFails = ({ probesFailMs, livenessFailsAfterMs = NEVER }: ContainerBehaviour): Fails => ({
  at: (ms) => ms < probesFailMs || ms >= livenessFailsAfterMs,
  changesAfter: (ms) => [probesFailMs, livenessFailsAfterMs].find((at) => at > ms) ?? NEVER,
});

/** Without a probe, readiness changes at once. */
function readinessFails({ isReady, flapMs, probesFailMs }: ContainerBehaviour, hasProbe: boolean): Fails {
  const downMs = hasProbe ? probesFailMs : 0;
  if (!isReady) return { at: () => true, changesAfter: () => NEVER };
  return {
    at: (ms) => ms < downMs || (flapMs !== undefined && Math.floor(ms / flapMs) % 2 === 1),
    changesAfter: (ms) => {
      const flapsAt = flapMs === undefined ? NEVER : (Math.floor(ms / flapMs) + 1) * flapMs;
      return ms < downMs ? Math.min(downMs, flapsAt) : flapsAt;
    },
  };
}
