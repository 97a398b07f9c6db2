// The phase of a pod, from its containers.
// Upstream: pkg/kubelet/kubelet_pods.go, getPhase

import type { ContainerStatus, Pod } from "#api/generated/types/core-v1.ts";
import { containerShouldRestart } from "#rules/pod-conditions.ts";
import { hasBegun, type Place } from "./places.ts";

export interface KnownContainer extends Place {
  readonly status: ContainerStatus;
}

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

export function podPhase({ spec }: Pod, inits: readonly KnownContainer[], mains: readonly KnownContainer[]): Phase {
  const isOver = ({ container, status }: KnownContainer): boolean => {
    const exit = exitOf(status);
    return exit !== undefined && spec !== undefined && !containerShouldRestart(container, spec, exit.exitCode);
  };
  const hasFailed = ({ status }: KnownContainer): boolean => (exitOf(status)?.exitCode ?? 0) !== 0;
  if (inits.some((init) => init.role === "init" && hasFailed(init) && isOver(init))) return "Failed";
  if (mains.some(({ status }) => !hasBegun(status))) return "Pending";
  if (!mains.every(isOver)) return "Running";
  return mains.some(hasFailed) ? "Failed" : "Succeeded";
}

/** True if the next container may start. */
export function isInitDone({ role, status: { state, started } }: KnownContainer): boolean {
  return role === "sidecar" ? state?.running !== undefined && started === true : state?.terminated?.exitCode === 0;
}

/** The last termination of the container. */
function exitOf({ state, lastState }: ContainerStatus): { readonly exitCode: number } | undefined {
  return state?.running === undefined ? (state?.terminated ?? lastState?.terminated) : undefined;
}
