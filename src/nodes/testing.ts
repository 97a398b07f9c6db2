// For tests: the life of a pod without a server, as lines of text.

import type { ContainerStatus, Pod, PodSpec, PodStatus } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import { behaviourOf } from "./behaviour.ts";
import type { NodeEvent } from "./pod-events.ts";
import { nextStep } from "./pod-lifecycle.ts";
import { ReportedFailures } from "./reported-failures.ts";

export const BOUND_MS: number = Date.UTC(2026, 0, 1);
const STEPS_MAX = 200;

/** A pod "web" that has just been bound. annotations: without their prefix. */
export function boundPod(spec: Partial<PodSpec>, annotations: Readonly<Record<string, string>> = {}): Stored<Pod> {
  const lastTransitionTime = formatTime(BOUND_MS);
  return {
    metadata: {
      name: "web",
      namespace: "ns",
      uid: "u",
      resourceVersion: "1",
      creationTimestamp: lastTransitionTime,
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([name, value]) => [`sim.steersman.dev/${name}`, value]),
      ),
    },
    spec: { containers: [{ name: "main", image: "nginx" }], ...spec },
    status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime }] },
  };
}

export interface Life {
  readonly pod: Stored<Pod>;
  /** A line for each status report, and for each event without one. */
  readonly story: readonly string[];
  readonly events: readonly NodeEvent[];
}

/** All steps of a pod up to this time after binding. */
export function live(bound: Stored<Pod>, forMs: number): Life {
  const story: string[] = [];
  const events: NodeEvent[] = [];
  const told = new ReportedFailures();
  let pod = bound;
  let now = BOUND_MS;
  for (let i = 0; i < STEPS_MAX; i++) {
    const step = nextStep(pod, behaviourOf(pod, 300), now);
    if (step.kind === "rest") return { pod, story, events };
    const untold = told.unreported("u", step.events);
    events.push(...untold);
    const reasons = [...new Set(untold.map(({ reason }) => reason))].join(" ");
    const time = `${(now - BOUND_MS) / 1000} s`;
    if (step.kind === "report") {
      pod = { ...pod, status: merged(pod.status ?? {}, step.status) };
      story.push([`${time}: ${podInShort(pod)}`, ...(reasons === "" ? [] : [reasons])].join("; "));
      continue;
    }
    if (reasons !== "") story.push(`${time}: ${reasons}`);
    if (now + step.forMs > BOUND_MS + forMs) return { pod, story, events };
    now += step.forMs;
  }
  throw new Error(`the pod has not come to rest:\n${story.join("\n")}`);
}

/** Like the server's merge of a patch. */
export function merged(before: PodStatus, { conditions = [], ...patch }: PodStatus): PodStatus {
  const types = new Set(conditions.map(({ type }) => type));
  const others = (before.conditions ?? []).filter(({ type }) => !types.has(type));
  return { ...before, ...patch, conditions: [...conditions, ...others] };
}

/** Phase, readiness and containers. */
export function podInShort({ status }: Pod): string {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  const containers = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  const isReady = status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True");
  return [`${status?.phase}${isReady ? " Ready" : ""}`, ...containers.map(containerInShort)].join(", ");
}

function containerInShort({ name, state, ready, started, restartCount }: ContainerStatus): string {
  const { waiting, terminated } = state ?? {};
  const ended = terminated && `${terminated.reason} ${terminated.exitCode}`;
  const runs = [...(started ? ["started"] : []), ...(ready ? ["ready"] : [])].join(" ") || "running";
  return `${name} ${waiting?.reason ?? ended ?? runs}${restartCount > 0 ? ` (${restartCount})` : ""}`;
}
