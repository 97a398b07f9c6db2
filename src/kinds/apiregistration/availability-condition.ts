// The Available condition of an APIService.
// Upstream: kube-aggregator pkg/apis/apiregistration/v1/helper

import type { APIService, APIServiceCondition } from "#api/generated/types/apiregistration-v1.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

export type Availability = Pick<APIServiceCondition, "status" | "reason" | "message">;

/** The condition for groups that this server serves itself. */
export const LOCAL: Availability = {
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};

export const availableOf = ({ status }: APIService): APIServiceCondition | undefined =>
  status?.conditions?.find(({ type }) => type === "Available");

export const isAvailable = (service: APIService): boolean => availableOf(service)?.status === "True";

/** Returns the same object if nothing changes. The transition time changes only with the status. */
export function withAvailability(service: APIService, availability: Availability, now: EpochMs): APIService {
  const old = availableOf(service);
  const { status, reason, message } = availability;
  if (old?.status === status && old.reason === reason && old.message === message) return service;
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : formatTime(now);
  const condition: APIServiceCondition = {
    type: "Available",
    ...availability,
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
  };
  const conditions = service.status?.conditions ?? [];
  const next =
    old === undefined ? [...conditions, condition] : conditions.map((each) => (each === old ? condition : each));
  return { ...service, status: { ...service.status, conditions: next } };
}
