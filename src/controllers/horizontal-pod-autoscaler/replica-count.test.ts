import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Draft } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { errorMessage } from "#base/errors.ts";
import given from "#test/vectors/autoscaler.json" with { type: "json" };
import type { StoredPod } from "./model.ts";
import { requestsOf } from "./pod-requests.ts";
import {
  averageReplicas,
  perPodReplicas,
  sumOfShares,
  sumOfValues,
  utilizationReplicas,
  valueReplicas,
} from "./replica-count.ts";

interface Vector {
  readonly count: {
    readonly kind: string;
    readonly resource: string;
    readonly container: string;
    readonly current: number;
    readonly statusReplicas: number;
    readonly targetPercent: number;
    readonly target: string;
    readonly down: number;
    readonly up: number;
  };
  readonly samples: Readonly<
    Record<string, { readonly value: string; readonly at: number; readonly windowMs: number }>
  >;
  readonly values: readonly string[];
  readonly pods: readonly Draft<StoredPod>[] | null;
  readonly answer: object;
}

const { counts } = given as { readonly counts: readonly Vector[] };
const timing = { now: 1_800_000_000_500, cpuInitializationMs: 300_000, initialReadinessMs: 30_000 };

function ask({ count, samples, values, pods: drafts }: Vector): object {
  const { kind, resource, container, current, statusReplicas, targetPercent, down, up } = count;
  const target = BigInt(count.target);
  const tolerances = { down, up };
  const pods = (drafts ?? []).map((pod) => stored(Pods, pod));
  const sampled = new Map(
    Object.entries(samples).map(([pod, { value, ...rest }]) => [pod, { value: BigInt(value), ...rest }]),
  );
  const podCount = { current, tolerances, pods, samples: sampled, resource: kind === "pods" ? "" : resource, timing };
  const amounts = values.map(BigInt);
  const last = amounts.at(-1) ?? 0n;
  const answer = (replicas: number, usage: bigint, percent = 0) => ({ replicas, percent, usage: String(usage) });
  switch (kind) {
    case "utilization": {
      const rule = { resource, container, readsPodLevel: true };
      const { replicas, measured } = utilizationReplicas(podCount, targetPercent, () => requestsOf(pods, rule));
      return answer(replicas, measured.average, measured.percent);
    }
    case "object":
      return answer(valueReplicas(podCount, last, target), last);
    case "external":
      return answer(valueReplicas(podCount, sumOfValues(amounts), target), sumOfValues(amounts));
    case "objectPerPod": {
      const { replicas, average } = perPodReplicas({ statusReplicas, tolerances }, last, target, false);
      return answer(replicas, average);
    }
    case "externalPerPod": {
      const { replicas, average } = perPodReplicas({ statusReplicas, tolerances }, sumOfShares(amounts), target, true);
      return answer(replicas, average);
    }
    default: {
      const { replicas, measured } = averageReplicas(podCount, target);
      return answer(replicas, measured.average);
    }
  }
}

function outcome(vector: Vector): object {
  try {
    return ask(vector);
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

describe("the count of replicas", () => {
  it.each([...Map.groupBy(counts, ({ count }) => count.kind)])(
    "horizontal-pod-autoscaler/8, horizontal-pod-autoscaler/9, horizontal-pod-autoscaler/10, horizontal-pod-autoscaler/11, horizontal-pod-autoscaler/12 by %s is upstream's",
    (_, vectors) => {
      for (const vector of vectors) {
        const what = JSON.stringify(vector.count);
        expect([what, outcome(vector)]).toEqual([what, vector.answer]);
      }
    },
  );
});
