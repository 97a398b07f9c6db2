import { describe, expect, it } from "vitest";
import type { HorizontalPodAutoscalerBehavior } from "#api/generated/types/autoscaling-v2.ts";
import given from "#test/vectors/autoscaler.json" with { type: "json" };
import { type ScaleEvent, ScalingHistory } from "./scaling-history.ts";
import { decide, decideByBehavior, type ScaleRequest } from "./scaling-limits.ts";

interface Remembered {
  readonly replicas: number;
  readonly ageMs: number;
  readonly outdated?: true;
}

interface Memory {
  readonly recommendations: readonly Remembered[] | null;
  readonly scaleUps: readonly Remembered[] | null;
  readonly scaleDowns: readonly Remembered[] | null;
}

interface Vector {
  readonly behavior?: HorizontalPodAutoscalerBehavior;
  readonly memory: Memory;
  readonly wish: ScaleRequest;
  readonly windowMs: number;
  readonly replicas: number;
  readonly conditions: readonly (readonly string[])[];
  readonly after: Memory;
}

const { limits } = given as { readonly limits: readonly Vector[] };
const NOW = 1_800_000_000_000;

function historyOf({ recommendations, scaleUps, scaleDowns }: Memory): ScalingHistory {
  const events = (list: readonly Remembered[] | null): readonly ScaleEvent[] =>
    (list ?? []).map(({ replicas, ageMs }) => ({ change: replicas, at: NOW - ageMs, isOutdated: false }));
  const history = new ScalingHistory();
  history.recommendations = (recommendations ?? []).map(({ replicas, ageMs }) => ({ replicas, at: NOW - ageMs }));
  history.scaleUps = events(scaleUps);
  history.scaleDowns = events(scaleDowns);
  return history;
}

function memoryOf({ recommendations, scaleUps, scaleDowns }: ScalingHistory): Memory {
  const events = (list: readonly ScaleEvent[]): readonly Remembered[] | null =>
    orNull(
      list.map(({ change, at, isOutdated }) => ({
        replicas: change,
        ageMs: NOW - at,
        ...(isOutdated && { outdated: true as const }),
      })),
    );
  return {
    recommendations: orNull(recommendations.map(({ replicas, at }) => ({ replicas, ageMs: NOW - at }))),
    scaleUps: events(scaleUps),
    scaleDowns: events(scaleDowns),
  };
}

const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);

/** As in the sync: the flag's window, unless the behaviour sets one. */
function withWindow({ scaleUp = {}, scaleDown = {} }: HorizontalPodAutoscalerBehavior, windowMs: number) {
  return { scaleUp, scaleDown: { stabilizationWindowSeconds: windowMs / 1000, ...scaleDown } };
}

describe("the limits of scaling", () => {
  it.each([
    ["horizontal-pod-autoscaler/13 without a behaviour", limits.filter(({ behavior }) => behavior === undefined)],
    ["horizontal-pod-autoscaler/14 with a behaviour", limits.filter(({ behavior }) => behavior !== undefined)],
  ])("%s are upstream's", (_, vectors) => {
    for (const { behavior, memory, wish, windowMs, after, ...expected } of vectors) {
      const history = historyOf(memory);
      const decision =
        behavior === undefined
          ? decide(wish, history, windowMs, NOW)
          : decideByBehavior(wish, withWindow(behavior, windowMs), history, NOW);
      const { replicas, stabilization, limit, isLimited } = decision;
      if (replicas !== wish.current) history.scaled(behavior, wish.current, replicas, NOW);
      const conditions = [
        ["AbleToScale", "True", stabilization.reason, stabilization.message],
        ["ScalingLimited", isLimited ? "True" : "False", limit.reason, limit.message],
      ];
      const what = JSON.stringify({ behavior, memory, wish, windowMs });
      expect([what, { replicas, conditions }]).toEqual([what, expected]);
      expect([what, memoryOf(history)]).toEqual([what, after]);
    }
  });

  it("horizontal-pod-autoscaler/14 adds 32-bit integers, so that the largest value of a policy allows nothing", () => {
    const policies = [{ type: "Pods", value: 2 ** 31 - 1, periodSeconds: 15 }];
    const behavior = { scaleUp: { policies }, scaleDown: { policies } };
    const upTo = (current: number, desired: number): number =>
      decideByBehavior({ current, desired, minReplicas: 1, maxReplicas: 10 }, behavior, new ScalingHistory(), NOW)
        .replicas;
    expect(upTo(2, 8)).toBe(2);
    expect(upTo(8, 2)).toBe(2);
  });
});
