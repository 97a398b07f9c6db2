// The conditions that a node reports for a pod.
// Upstream: pkg/kubelet/status/generate.go.

import type { Pod, PodCondition } from "#api/generated/types/core-v1.ts";
import { podCondition } from "#rules/pod-status.ts";
import { hasBegun } from "./places.ts";
import { isInitDone, type KnownContainer, type Phase } from "./pod-phase.ts";

type State = Pick<PodCondition, "status" | "reason" | "message">;

const TRUE: State = { status: "True" };
const isFalse = (reason: string, message?: string): State => ({
  status: "False",
  reason,
  ...(message === undefined ? {} : { message }),
});

/** In a kubelet's order; a condition with an unchanged status keeps its time. */
export function conditions(
  pod: Pod,
  time: string,
  phase: Phase,
  inits: readonly KnownContainer[],
  mains: readonly KnownContainer[],
): readonly PodCondition[] {
  const hasEnded = phase === "Succeeded" || phase === "Failed";
  const containersReady = containersReadiness(phase, inits, mains);
  const states: readonly (readonly [string, State])[] = [
    ["PodReadyToStartContainers", { status: hasEnded ? "False" : "True" }],
    ["Initialized", initialized(phase, inits, mains)],
    ["ContainersReady", containersReady],
    ["Ready", containersReady.status === "True" ? gatesReadiness(pod) : containersReady],
    // A pod that was created with a node name was not scheduled.
    ...(podCondition(pod, "PodScheduled") === undefined ? ([["PodScheduled", TRUE]] as const) : []),
  ];
  return states.map(([type, state]) => {
    const known = podCondition(pod, type);
    const lastTransitionTime = known?.status === state.status ? (known.lastTransitionTime ?? time) : time;
    return { type, ...state, lastTransitionTime };
  });
}

/** True if the server already has them all. */
export function areKnown(pod: Pod, own: readonly PodCondition[]): boolean {
  return own.every(({ type, status, reason, message }) => {
    const known = podCondition(pod, type);
    return known?.status === status && known.reason === reason && known.message === message;
  });
}

function initialized(phase: Phase, inits: readonly KnownContainer[], mains: readonly KnownContainer[]): State {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  if (mains.some(({ status }) => hasBegun(status))) return TRUE;
  const incomplete = inits.filter((init) => !isInitDone(init));
  if (incomplete.length === 0) return TRUE;
  return isFalse("ContainersNotInitialized", `containers with incomplete status: ${namesOf(incomplete)}`);
}

function containersReadiness(phase: Phase, inits: readonly KnownContainer[], mains: readonly KnownContainer[]): State {
  if (phase === "Succeeded") return isFalse("PodCompleted");
  if (phase === "Failed") return isFalse("PodFailed");
  const unready = [...inits.filter(({ role }) => role === "sidecar"), ...mains].filter(({ status }) => !status.ready);
  if (unready.length === 0) return TRUE;
  return isFalse("ContainersNotReady", `containers with unready status: ${namesOf(unready)}`);
}

function gatesReadiness(pod: Pod): State {
  const problems = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = podCondition(pod, conditionType);
    const gate = `pod readiness gate "${conditionType}"`;
    if (condition === undefined) return [`corresponding condition of ${gate} does not exist.`];
    return condition.status === "True" ? [] : [`the status of ${gate} is not "True", but ${condition.status}`];
  });
  return problems.length === 0 ? TRUE : isFalse("ReadinessGatesNotReady", problems.join(", "));
}

const namesOf = (containers: readonly KnownContainer[]): string =>
  `[${containers.map(({ container }) => container.name).join(" ")}]`;
