// When a success policy ends an Indexed Job early.
// Upstream: pkg/controller/job/success_policy.go, matchSuccessPolicy, matchSucceededIndexesRule.

import type { SuccessPolicy } from "#api/generated/types/batch-v1.ts";
import { countOf, type Indexes, parseIndexes } from "./indexes.ts";

/** The message of the first rule that the succeeded indexes meet. */
export function metSuccessRule(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: Indexes,
): string | undefined {
  if (policy === undefined || succeeded.length === 0) return undefined;
  const index = policy.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && countOf(succeeded) >= succeededCount;
    const required = parseIndexes(succeededIndexes, completions);
    if (required.length === 0) return false;
    const met = overlap(required, succeeded);
    return met === countOf(required) || (succeededCount !== undefined && met >= succeededCount);
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}

/** The number of indexes in both sets. */
function overlap(a: Indexes, b: Indexes): number {
  let count = 0;
  for (let [i, j] = [0, 0]; ; ) {
    const [left, right] = [a[i], b[j]];
    if (left === undefined || right === undefined) return count;
    count += Math.max(0, Math.min(left.last, right.last) - Math.max(left.first, right.first) + 1);
    if (right.last <= left.last) j++;
    if (left.last <= right.last) i++;
  }
}
