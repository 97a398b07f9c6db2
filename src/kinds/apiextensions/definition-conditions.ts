// Conditions of definitions. Upstream: apiextensions-apiserver/pkg/apihelpers

import type { CustomResourceDefinitionCondition } from "#api/generated/types/apiextensions-v1.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import type { CustomResourceDefinition } from "#cel/json-schema.ts";
import { approvalOf } from "./crd-approval.ts";

type Condition = CustomResourceDefinitionCondition;

export const conditionOf = ({ status }: CustomResourceDefinition, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

export const isTrue = (crd: CustomResourceDefinition, type: string): boolean =>
  conditionOf(crd, type)?.status === "True";

/** The transition time changes only with the status. */
export function withCondition(
  crd: CustomResourceDefinition,
  condition: Condition,
  now: EpochMs,
): CustomResourceDefinition {
  const conditions = crd.status?.conditions ?? [];
  const old = conditionOf(crd, condition.type);
  const isSameStatus = old?.status === condition.status && old.lastTransitionTime;
  const next: Condition = {
    ...old,
    ...condition,
    lastTransitionTime: isSameStatus ? old.lastTransitionTime : formatTime(now),
  };
  const list = old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each));
  return { ...crd, status: { ...crd.status, conditions: list } };
}

export const isSameCondition = (a: Condition | undefined, b: Condition): boolean =>
  a?.status === b.status && a.reason === b.reason && a.message === b.message;

export const terminating = (isDone: boolean, reason: string, message: string): Condition => ({
  type: "Terminating",
  status: isDone ? "False" : "True",
  reason,
  message,
});

export const ESTABLISHED: Condition = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};

/** Upstream: controller/apiapproval. Undefined: the group needs no approval. */
export function approvalCondition(crd: CustomResourceDefinition): Condition | undefined {
  const approval = approvalOf(crd);
  if (approval === undefined) return undefined;
  const reasons = {
    invalid: "InvalidAnnotation",
    missing: "MissingAnnotation",
    approved: "ApprovedAnnotation",
    bypassed: "UnapprovedAnnotation",
  };
  return {
    type: "KubernetesAPIApprovalPolicyConformant",
    status: approval.state === "approved" ? "True" : "False",
    reason: reasons[approval.state],
    message: approval.reason,
  };
}
