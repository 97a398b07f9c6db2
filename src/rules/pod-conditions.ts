// Changes a pod's conditions, and decides about restarts of its containers.
// Upstream: pkg/api/v1/pod/util.go

import type { Container, PodCondition, PodSpec, PodStatus } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

/**
 * The status with this condition; the same object when nothing changed. The transition time is now, unless the
 * condition's status is unchanged. Upstream: UpdatePodCondition
 */
export function updatePodCondition(
  status: PodStatus,
  given: Omit<PodCondition, "lastTransitionTime">,
  now: EpochMs,
): PodStatus {
  // Go writes a missing probe time as null.
  const condition = { lastProbeTime: null, ...given } as unknown as typeof given;
  const conditions = status.conditions ?? [];
  const index = conditions.findIndex((candidate) => candidate.type === condition.type);
  const old = conditions[index];
  if (old === undefined) {
    return { ...status, conditions: [...conditions, { ...condition, lastTransitionTime: formatTime(now) }] };
  }
  const isSame =
    condition.status === old.status &&
    (condition.reason ?? "") === (old.reason ?? "") &&
    (condition.message ?? "") === (old.message ?? "") &&
    (condition.lastProbeTime ?? null) === (old.lastProbeTime ?? null);
  if (isSame) return status;
  const since = condition.status === old.status ? old.lastTransitionTime : formatTime(now);
  const updated: PodCondition = { ...condition, ...(since === undefined ? {} : { lastTransitionTime: since }) };
  return { ...status, conditions: conditions.with(index, updated) };
}

/** Whether the container restarts after this exit. Upstream: ContainerShouldRestart */
export function containerShouldRestart(
  container: Container,
  pod: PodSpec,
  exitCode: number,
  restartAllContainersEnabled = false,
): boolean {
  if (container.restartPolicy !== undefined) {
    const action = matchingRestartAction(container, exitCode);
    if (action === "Restart" || (action === "RestartAllContainers" && restartAllContainersEnabled)) return true;
    if (isRestartPolicy(container.restartPolicy)) return restarts(container.restartPolicy, exitCode);
  }
  return restarts(pod.restartPolicy, exitCode);
}

const isRestartPolicy = (policy: string): boolean => ["Always", "OnFailure", "Never"].includes(policy);

function restarts(policy: string | undefined, exitCode: number): boolean {
  if (policy === "Never") return false;
  return policy !== "OnFailure" || exitCode !== 0;
}

function matchingRestartAction(container: Container, exitCode: number): string | undefined {
  const rule = container.restartPolicyRules?.find(({ exitCodes }) => {
    if (exitCodes === undefined) return false;
    const isListed = exitCodes.values?.includes(exitCode) ?? false;
    return (exitCodes.operator === "In" && isListed) || (exitCodes.operator === "NotIn" && !isListed);
  });
  return rule?.action;
}
