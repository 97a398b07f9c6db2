// Sets of completion indexes as ordered intervals, and their text in the status: "0,2-5,7".
// Upstream: pkg/controller/job/indexed_job_utils.go, orderedIntervals, parseIndexesFromString.

import { parseInt64 } from "#api/go-text.ts";

export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** In ascending order. */
export type Indexes = readonly Interval[];

/** Malformed intervals are left out; indexes beyond the completions are cut off. */
export function parseIndexes(text: string, completions: number): Indexes {
  const indexes: Interval[] = [];
  if (text === "") return indexes;
  for (const part of text.split(",")) {
    const [from = "", to] = part.split("-");
    const first = readNumber(from);
    if (first === undefined) continue;
    if (first >= completions) break;
    const end = to === undefined ? first : readNumber(to);
    if (end === undefined) continue;
    const last = to === undefined ? first : Math.min(end, completions - 1);
    const before = indexes.at(-1);
    if (before !== undefined && before.last === first - 1) indexes[indexes.length - 1] = { first: before.first, last };
    else indexes.push({ first, last });
  }
  return indexes;
}

function readNumber(text: string): number | undefined {
  const parsed = parseInt64(text, "Atoi");
  return "error" in parsed ? undefined : Number(parsed.value);
}

/** Two adjacent indexes are listed, three or more become a range. */
export function formatIndexes(indexes: Indexes): string {
  return indexes
    .map(({ first, last }) => (last <= first ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`))
    .join(",");
}

export function countOf(indexes: Indexes): number {
  return indexes.reduce((count, { first, last }) => count + last - first + 1, 0);
}

/** Looks into the first interval that does not end before the index. */
export function hasIndex(indexes: Indexes, index: number): boolean {
  let [low, high] = [0, indexes.length];
  while (high > low) {
    const middle = low + Math.trunc((high - low) / 2);
    if ((indexes[middle]?.last ?? 0) >= index) high = middle;
    else low = middle + 1;
  }
  return (indexes[high]?.first ?? Number.POSITIVE_INFINITY) <= index;
}

export function withIndexes(indexes: Indexes, added: Iterable<number>): Indexes {
  const ascending = [...new Set(added)].toSorted((a, b) => a - b);
  return mergeIndexes(
    indexes,
    ascending.map((index) => ({ first: index, last: index })),
  );
}

/** The union of two sets; adjacent intervals are joined. */
export function mergeIndexes(a: Indexes, b: Indexes): Indexes {
  const merged: Interval[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    const takesLeft = left !== undefined && (right === undefined || left.first < right.first);
    const next = takesLeft ? left : right;
    if (takesLeft) i++;
    else j++;
    if (next === undefined) break;
    const before = merged.at(-1);
    if (before === undefined || next.first > before.last + 1) merged.push(next);
    else if (before.last < next.last) merged[merged.length - 1] = { first: before.first, last: next.last };
  }
  return merged;
}

/** The lowest indexes below the completions that are not in the set. */
export function firstFree(taken: Indexes, count: number, completions: number): readonly number[] {
  const free: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && free.length < count; candidate++) free.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return free;
}
