// The pure decisions, as upstream makes them (tools/go/vectors-job).

import { expect, it } from "vitest";
import type { PodFailurePolicy, SuccessPolicy } from "#api/generated/types/batch-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import file from "#test/vectors/job.json" with { type: "json" };
import { remainingMs } from "./backoff.ts";
import { countOf, formatIndexes, hasIndex, parseIndexes, withIndexes } from "./indexes.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { metSuccessRule } from "./success-policy.ts";

const ASKED = [0, 1, 2, 3, 5, 9, 20, 29];

type IndexRow = readonly [text: string, completions: number, out: string, total: number, has: boolean[]];
type MergeRow = readonly [text: string, completions: number, more: number[], out: string];
type SuccessRow = readonly [
  policy: SuccessPolicy,
  completions: number,
  succeeded: string,
  message: string,
  met: boolean,
];
type FailureRow = readonly [
  policy: PodFailurePolicy,
  pod: Pod,
  message: string | null,
  counts: boolean,
  action: string | null,
];

const vectors = file as unknown as {
  readonly indexes: readonly IndexRow[];
  readonly merged: readonly MergeRow[];
  readonly successPolicies: readonly SuccessRow[];
  readonly failurePolicies: readonly FailureRow[];
  readonly backoffMs: readonly (readonly number[])[];
};

it("job/19 reads and writes sets of indexes as upstream does", () => {
  for (const [text, completions, out, total, has] of vectors.indexes) {
    const indexes = parseIndexes(text, completions);
    const all = [text, completions, formatIndexes(indexes), countOf(indexes), ASKED.map((i) => hasIndex(indexes, i))];
    expect(all).toEqual([text, completions, out, total, has]);
  }
});

it("job/19 adds indexes as upstream does", () => {
  for (const [text, completions, more, out] of vectors.merged) {
    const merged = withIndexes(parseIndexes(text, completions), more);
    expect([text, more, formatIndexes(merged)]).toEqual([text, more, out]);
  }
});

it("job/21 meets success policies as upstream does", () => {
  for (const [policy, completions, succeeded, message, met] of vectors.successPolicies) {
    const found = metSuccessRule(policy, completions, parseIndexes(succeeded, completions));
    expect([policy, succeeded, found]).toEqual([policy, succeeded, met ? message : undefined]);
  }
});

it("job/18 judges failed pods as upstream does", () => {
  for (const [policy, pod, message, counts, action] of vectors.failurePolicies) {
    const verdict = judgeFailure(policy, pod);
    const all = [policy, pod.status, verdict.failsJob ?? null, verdict.counts, verdict.action ?? null];
    expect(all).toEqual([policy, pod.status, message, counts, action]);
  }
});

it("job/15 backs off as long as upstream does", () => {
  for (const [failures = 0, sinceMs = 0, leftMs] of vectors.backoffMs) {
    const now = 1_000_000_000;
    expect([failures, sinceMs, remainingMs({ failures, lastFailureMs: now - sinceMs }, now)]).toEqual([
      failures,
      sinceMs,
      leftMs,
    ]);
  }
});
