// The recommendations and scalings that an autoscaler remembers. A restart forgets both.
// Upstream: pkg/controller/podautoscaler/horizontal.go, recommendations, scaleUpEvents, scaleDownEvents.

import type { HorizontalPodAutoscalerBehavior } from "#api/generated/types/autoscaling-v2.ts";
import type { EpochMs } from "#base/clock.ts";

export interface Recommendation {
  readonly replicas: number;
  readonly at: EpochMs;
}

/** A change of the size, up or down. */
export interface ScaleEvent {
  readonly change: number;
  readonly at: EpochMs;
  /** Older than any policy's period when it was marked: its slot may be reused. */
  readonly isOutdated: boolean;
}

export class ScalingHistory {
  recommendations: readonly Recommendation[] = [];
  scaleUps: readonly ScaleEvent[] = [];
  scaleDowns: readonly ScaleEvent[] = [];

  /** Records the size that a new controller finds, so that it does not scale down at once. */
  start(replicas: number, now: EpochMs): void {
    if (this.recommendations.length === 0) this.recommendations = [{ replicas, at: now }];
  }

  /** Reuses the slot of the last recommendation that is too old, if there is one. */
  recommend(replicas: number, now: EpochMs, isOld: (recommendation: Recommendation) => boolean): void {
    this.recommendations = replacing(this.recommendations, isOld, { replicas, at: now });
  }

  /** Without a behaviour the changes are not needed. */
  scaled(behavior: HorizontalPodAutoscalerBehavior | undefined, from: number, to: number, now: EpochMs): void {
    if (behavior === undefined) return;
    const event = { change: Math.abs(to - from), at: now, isOutdated: false };
    if (to > from) this.scaleUps = withEvent(this.scaleUps, event, longestPeriodMs(behavior.scaleUp), now);
    else this.scaleDowns = withEvent(this.scaleDowns, event, longestPeriodMs(behavior.scaleDown), now);
  }
}

function withEvent(
  events: readonly ScaleEvent[],
  event: ScaleEvent,
  periodMs: number,
  now: EpochMs,
): readonly ScaleEvent[] {
  const marked = events.map((known) => (known.at < now - periodMs ? { ...known, isOutdated: true } : known));
  return replacing(marked, ({ isOutdated }) => isOutdated, event);
}

function replacing<T>(items: readonly T[], isFree: (item: T) => boolean, item: T): readonly T[] {
  const index = items.findLastIndex(isFree);
  return index < 0 ? [...items, item] : items.with(index, item);
}

function longestPeriodMs(rules: HorizontalPodAutoscalerBehavior["scaleUp"]): number {
  return Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds = 0 }) => periodSeconds)) * 1000;
}
