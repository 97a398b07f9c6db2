// The conditions that a node reports of a pod.
// Upstream: pkg/kubelet/status/generate.go.

import type { Container, Pod, PodCondition } from "#api/generated/types/core-v1.ts";

export const scheduledOf = ({ status }: Pod): PodCondition | undefined =>
  status?.conditions?.find(({ type }) => type === "PodScheduled");

/**
 * In the order of a kubelet; those that keep their status keep their time. ended: the pod's last phase.
 */
export function conditions(
  pod: Pod,
  time: string,
  states: { readonly Initialized: boolean; readonly ContainersReady: boolean; readonly Ready: boolean },
  ended?: "Succeeded" | "Failed",
): readonly PodCondition[] {
  const all = { PodReadyToStartContainers: ended === undefined, ...states };
  const own = Object.entries(all).map(([type, isTrue]) => {
    const status = isTrue ? "True" : "False";
    const known = pod.status?.conditions?.find((condition) => condition.type === type);
    const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? time) : time;
    return { type, status, lastTransitionTime, ...reasonOf(pod, type, isTrue, ended) };
  });
  if (scheduledOf(pod) !== undefined) return own;
  return [...own, { type: "PodScheduled", status: "True", lastTransitionTime: time }];
}

function reasonOf(
  pod: Pod,
  type: string,
  isTrue: boolean,
  ended: "Succeeded" | "Failed" | undefined,
): Pick<PodCondition, "reason" | "message"> {
  if (type === "PodReadyToStartContainers") return {};
  if (ended === "Succeeded") return { reason: "PodCompleted" };
  if (isTrue) return {};
  if (ended === "Failed") return { reason: "PodFailed" };
  const names = (containers: readonly Container[] = []): string => containers.map(({ name }) => name).join(" ");
  return type === "Initialized"
    ? {
        reason: "ContainersNotInitialized",
        message: `containers with incomplete status: [${names(pod.spec?.initContainers)}]`,
      }
    : { reason: "ContainersNotReady", message: `containers with unready status: [${names(pod.spec?.containers)}]` };
}
