// Applies a Job's pod failure policy to a failed pod: the first matching rule decides.
// Upstream: pkg/controller/job/pod_failure_policy.go, matchPodFailurePolicy.

import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "#api/generated/types/batch-v1.ts";
import type { ContainerStatus, Pod } from "#api/generated/types/core-v1.ts";

type FailureAction = "Ignore" | "FailIndex" | "FailJob" | "Count";

interface FailureVerdict {
  /** The rule's action; absent when no rule matches. */
  readonly action?: FailureAction;
  /** Counts towards the back-off limits. */
  readonly counts: boolean;
  /** Why the whole Job fails. */
  readonly failsJob?: string;
}

const ACTIONS: readonly string[] = ["Ignore", "FailIndex", "FailJob", "Count"] satisfies FailureAction[];

export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const match = matchOf(rule, pod);
    if (match === undefined || !ACTIONS.includes(rule.action)) continue;
    const action = rule.action as FailureAction;
    if (action !== "FailJob") return { action, counts: action !== "Ignore" };
    return { action, counts: true, failsJob: `${match} matching FailJob rule at index ${index}` };
  }
  return { counts: true };
}

/** The part of the message about the match. */
function matchOf({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const name = `${pod.metadata?.namespace ?? ""}/${pod.metadata?.name ?? ""}`;
  const status = pod.status ?? {};
  if (onExitCodes !== undefined) {
    const failed = exitOf(status.containerStatuses, onExitCodes) ?? exitOf(status.initContainerStatuses, onExitCodes);
    return failed && `Container ${failed.name} for pod ${name} failed with exit code ${failed.exitCode}`;
  }
  const found = (status.conditions ?? []).find((condition) =>
    onPodConditions?.some((pattern) => pattern.type === condition.type && pattern.status === condition.status),
  );
  return found && `Pod ${name} has condition ${found.type}`;
}

/** The first container whose exit code matches the rule. Successful and running containers never match. */
function exitOf(
  statuses: readonly ContainerStatus[] | undefined,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): { readonly name: string; readonly exitCode: number } | undefined {
  for (const { name, state } of statuses ?? []) {
    const exitCode = state?.terminated?.exitCode ?? 0;
    if (exitCode === 0 || (containerName !== undefined && containerName !== name)) continue;
    const isListed = values.includes(exitCode);
    if ((operator === "In" && isListed) || (operator === "NotIn" && !isListed)) return { name, exitCode };
  }
  return undefined;
}
