// The pure decisions, compared with upstream's (tools/go/vectors-job).

import { expect, it } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import type { PodFailurePolicy, SuccessPolicy } from "#api/generated/types/batch-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { stored } from "#api/testing.ts";
import { timeOrUndefined } from "#api/time.ts";
import file from "#test/vectors/job.json" with { type: "json" };
import { nextRecord, remainingMs } from "./backoff.ts";
import { countOf, firstFree, formatIndexes, hasIndex, mergeIndexes, parseIndexes, withIndexes } from "./indexes.ts";
import type { Job, StoredPod } from "./model.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { podsToRemove } from "./removal-order.ts";
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

type FailuresRow = readonly [
  before: number,
  last: string | null,
  succeeded: Pod[],
  failed: Pod[],
  count: number,
  when: string | null,
];
type RemovedRow = readonly [mode: string, completions: number, pods: StoredPod[], atLeast: number, names: string[]];
type PendingRow = readonly [
  completions: number,
  active: string[],
  succeeded: string,
  failed: string,
  count: number,
  free: number[] | null,
];

const vectors = file as unknown as {
  readonly indexes: readonly IndexRow[];
  readonly merged: readonly MergeRow[];
  readonly successPolicies: readonly SuccessRow[];
  readonly failurePolicies: readonly FailureRow[];
  readonly backoffMs: readonly (readonly number[])[];
  readonly failures: readonly FailuresRow[];
  readonly removed: readonly RemovedRow[];
  readonly pending: readonly PendingRow[];
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

it("job/15 counts failures since the last success as upstream does", () => {
  for (const [before, last, succeeded, failed, count, when] of vectors.failures) {
    const record = { failures: before, lastFailureMs: timeOrUndefined(last) };
    const next = nextRecord(record, succeeded, failed);
    expect([succeeded, failed, next]).toEqual([
      succeeded,
      failed,
      { failures: count, lastFailureMs: timeOrUndefined(when) },
    ]);
  }
});

const jobOf = (completionMode: string, completions: number): Job =>
  stored(Jobs, { metadata: { name: "sum" }, spec: { completionMode, completions, template: {} } });

it("job/13, workloads/S18 removes pods in upstream's order", () => {
  for (const [mode, completions, pods, atLeast, names] of vectors.removed) {
    const removed = podsToRemove(jobOf(mode, completions), pods, atLeast).map(({ metadata }) => metadata.name);
    expect([mode, completions, pods, atLeast, removed.toSorted()]).toEqual([
      mode,
      completions,
      pods,
      atLeast,
      names.toSorted(),
    ]);
  }
});

it("job/16 finds the first free indexes as upstream does", () => {
  for (const [completions, active, succeeded, failed, count, free] of vectors.pending) {
    const used = active.filter((index) => index !== "").map(Number);
    const taken = withIndexes(parseIndexes(succeeded, completions), used);
    const found = firstFree(mergeIndexes(taken, parseIndexes(failed, completions)), count, completions);
    expect([completions, active, succeeded, failed, count, found]).toEqual([
      completions,
      active,
      succeeded,
      failed,
      count,
      free ?? [],
    ]);
  }
});
