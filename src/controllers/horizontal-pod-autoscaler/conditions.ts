// Builds the conditions of an autoscaler during a sync.
// Upstream: pkg/controller/podautoscaler/horizontal.go, setConditionInList.

import type { HorizontalPodAutoscalerCondition } from "#api/generated/types/autoscaling-v2.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

export type ConditionType = "AbleToScale" | "ScalingActive" | "ScalingLimited" | "ScaledToZero";

export interface ConditionReason {
  readonly reason: string;
  readonly message: string;
}

export class Conditions {
  #list: readonly HorizontalPodAutoscalerCondition[];

  constructor(list: readonly HorizontalPodAutoscalerCondition[]) {
    this.#list = list;
  }

  get list(): readonly HorizontalPodAutoscalerCondition[] {
    return this.#list;
  }

  isTrue(type: ConditionType): boolean {
    return this.#list.find((condition) => condition.type === type)?.status === "True";
  }

  /** A new condition is appended. A known one keeps its position, and its time while its status stays the same. */
  set(type: ConditionType, isTrue: boolean, { reason, message }: ConditionReason, now: EpochMs): void {
    const status = isTrue ? "True" : "False";
    const index = this.#list.findIndex((condition) => condition.type === type);
    const known = this.#list[index];
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : formatTime(now);
    const condition = {
      type,
      status,
      ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
      reason,
      message,
    };
    this.#list = known === undefined ? [...this.#list, condition] : this.#list.with(index, condition);
  }

  remove(type: ConditionType): void {
    this.#list = this.#list.filter((condition) => condition.type !== type);
  }
}
