// Limits how far and how fast a recommendation is followed. Pure, except that it adds to the history.
// Upstream: pkg/controller/podautoscaler/horizontal.go, normalizeDesiredReplicas,
// normalizeDesiredReplicasWithBehaviors.

import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "#api/generated/types/autoscaling-v2.ts";
import type { EpochMs } from "#base/clock.ts";
import { INT32_MAX, INT32_MIN, toInt32, wrapped32 } from "./go-numbers.ts";
import type { Recommendation, ScaleEvent, ScalingHistory } from "./scaling-history.ts";

export interface ScaleRequest {
  readonly current: number;
  /** The size that the metrics require. */
  readonly desired: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

export interface Reason {
  readonly reason: string;
  readonly message: string;
}

export interface Decision {
  readonly replicas: number;
  /** The reason of the condition AbleToScale. */
  readonly stabilization: Reason;
  /** The reason of the condition ScalingLimited. */
  readonly limit: Reason;
  readonly isLimited: boolean;
}

const SCALE_UP_FACTOR = 2;
const SCALE_UP_MIN = 4;

const READY: Reason = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const DOWN_STABILIZED: Reason = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const UP_STABILIZED: Reason = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const TOO_FEW: Reason = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const TOO_MANY: Reason = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const TOO_FAST_UP: Reason = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const TOO_FAST_DOWN: Reason = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};
const WITHIN_RANGE: Reason = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
};

interface Limited {
  readonly replicas: number;
  readonly limit: Reason;
}

/** Without a behaviour: the highest recommendation of the window, at most twice the size, and at least four pods. */
export function decide(request: ScaleRequest, history: ScalingHistory, windowMs: number, now: EpochMs): Decision {
  const isOld = ({ at }: Recommendation): boolean => at < now - windowMs;
  const recent = history.recommendations.filter((recommendation) => !isOld(recommendation));
  const stable = Math.max(request.desired, ...recent.map(({ replicas }) => replicas));
  history.recommend(request.desired, now, isOld);
  return decision(request, stable, DOWN_STABILIZED, limitBySize({ ...request, desired: stable }));
}

function decision(request: ScaleRequest, stable: number, stabilized: Reason, { replicas, limit }: Limited): Decision {
  const stabilization = stable === request.desired ? READY : stabilized;
  return { replicas, stabilization, limit, isLimited: replicas !== stable };
}

/** Upstream: convertDesiredReplicasWithRules */
function limitBySize({ current, desired, minReplicas, maxReplicas }: ScaleRequest): Limited {
  const fastest = toInt32(Math.max(SCALE_UP_FACTOR * current, SCALE_UP_MIN));
  if (desired < minReplicas) return { replicas: minReplicas, limit: TOO_FEW };
  if (desired > Math.min(maxReplicas, fastest)) {
    return maxReplicas > fastest
      ? { replicas: fastest, limit: TOO_FAST_UP }
      : { replicas: maxReplicas, limit: TOO_MANY };
  }
  return { replicas: desired, limit: WITHIN_RANGE };
}

/** With a behaviour: within the recommendations of both windows, and no faster than the policies allow. */
export function decideByBehavior(
  request: ScaleRequest,
  { scaleUp = {}, scaleDown = {} }: HorizontalPodAutoscalerBehavior,
  history: ScalingHistory,
  now: EpochMs,
): Decision {
  const stable = stabilize(request, windowMs(scaleUp), windowMs(scaleDown), history, now);
  const stabilized = request.desired >= request.current ? UP_STABILIZED : DOWN_STABILIZED;
  const limited = limitByRate({ ...request, desired: stable }, scaleUp, scaleDown, history, now);
  return decision(request, stable, stabilized, limited);
}

const windowMs = ({ stabilizationWindowSeconds = 0 }: HPAScalingRules): number => stabilizationWindowSeconds * 1000;

/** Upstream: stabilizeRecommendationWithBehaviors */
function stabilize(
  { current, desired }: ScaleRequest,
  upWindowMs: number,
  downWindowMs: number,
  history: ScalingHistory,
  now: EpochMs,
): number {
  const [upCutoff, downCutoff] = [now - upWindowMs, now - downWindowMs];
  let lowest = desired;
  let highest = desired;
  for (const { replicas, at } of history.recommendations) {
    if (at > upCutoff) lowest = Math.min(lowest, replicas);
    if (at > downCutoff) highest = Math.max(highest, replicas);
  }
  history.recommend(desired, now, ({ at }) => at < upCutoff && at < downCutoff);
  return Math.min(Math.max(current, lowest), highest);
}

/** Upstream: convertDesiredReplicasWithBehaviorRate */
function limitByRate(
  { current, desired, minReplicas, maxReplicas }: ScaleRequest,
  scaleUp: HPAScalingRules,
  scaleDown: HPAScalingRules,
  history: ScalingHistory,
  now: EpochMs,
): Limited {
  if (desired > current) {
    const fastest = Math.max(current, scaleUpLimit(current, scaleUp, history, now));
    const limited =
      maxReplicas > fastest ? { replicas: fastest, limit: TOO_FAST_UP } : { replicas: maxReplicas, limit: TOO_MANY };
    if (desired > limited.replicas) return limited;
  }
  if (desired < current) {
    const fastest = Math.min(current, scaleDownLimit(current, scaleDown, history, now));
    const limited =
      minReplicas < fastest ? { replicas: fastest, limit: TOO_FAST_DOWN } : { replicas: minReplicas, limit: TOO_FEW };
    if (desired < limited.replicas) return limited;
  }
  return { replicas: desired, limit: WITHIN_RANGE };
}

function scaleUpLimit(current: number, rules: HPAScalingRules, history: ScalingHistory, now: EpochMs): number {
  if (rules.selectPolicy === "Disabled") return current;
  const proposals = (rules.policies ?? []).map(({ type, value = 0, periodSeconds = 0 }) => {
    const before = sizeBefore(current, periodSeconds, history, now);
    return type === "Pods" ? wrapped32(before + value) : toInt32(Math.ceil(before * (1 + value / 100)));
  });
  return rules.selectPolicy === "Min" ? Math.min(INT32_MAX, ...proposals) : Math.max(INT32_MIN, ...proposals);
}

function scaleDownLimit(current: number, rules: HPAScalingRules, history: ScalingHistory, now: EpochMs): number {
  if (rules.selectPolicy === "Disabled") return current;
  const proposals = (rules.policies ?? []).map(({ type, value = 0, periodSeconds = 0 }) => {
    const before = sizeBefore(current, periodSeconds, history, now);
    return type === "Pods" ? wrapped32(before - value) : toInt32(before * (1 - value / 100));
  });
  return rules.selectPolicy === "Min" ? Math.max(INT32_MIN, ...proposals) : Math.min(INT32_MAX, ...proposals);
}

/** The size at the start of the period. */
function sizeBefore(current: number, periodSeconds: number, history: ScalingHistory, now: EpochMs): number {
  const since = now - periodSeconds * 1000;
  const changed = (events: readonly ScaleEvent[]): number =>
    events.reduce((sum, { change, at }) => (at > since ? sum + change : sum), 0);
  return current - changed(history.scaleUps) + changed(history.scaleDowns);
}
