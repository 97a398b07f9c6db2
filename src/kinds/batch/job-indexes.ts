// Sets of indexes as a Job's fields write them: "0,2-5,7". Upstream: pkg/apis/batch/validation, validateIndexesFormat

import { goQuote, parseInt64 } from "#api/go-text.ts";

type Interval = readonly [first: number, last: number];

/** The number of indexes in the text, or why it is invalid. */
export function countIndexes(text: string, completions: number): number | { readonly error: string } {
  if (text === "") return 0;
  let total = 0;
  let last: number | undefined;
  for (const part of text.split(",")) {
    const interval = parseInterval(part, completions);
    if ("error" in interval) return interval;
    const [first, end] = interval;
    if (last !== undefined && last >= first) return { error: notIncreasing(last, first) };
    total += end - first + 1;
    last = end;
  }
  return total;
}

/** The message about the first index in both texts. Unparsable intervals are skipped. */
export function overlapOf(completed: string, failed: string, completions: number): string | undefined {
  const [ofCompleted, ofFailed] = [readable(completed, completions), readable(failed, completions)];
  for (let i = 0, j = 0; i < ofCompleted.length && j < ofFailed.length; ) {
    const [first, last] = ofCompleted[i] as Interval;
    const [otherFirst, otherLast] = ofFailed[j] as Interval;
    if (first <= otherLast && otherFirst <= last) {
      return `failedIndexes and completedIndexes overlap at index: ${Math.max(first, otherFirst)}`;
    }
    if (first <= otherFirst) i++;
    else j++;
  }
  return undefined;
}

function readable(text: string, completions: number): Interval[] {
  if (text === "") return [];
  return text.split(",").flatMap((part) => {
    const interval = parseInterval(part, completions);
    return "error" in interval ? [] : [interval];
  });
}

const notIncreasing = (previous: number, current: number): string =>
  `non-increasing order, previous: ${previous}, current: ${current}`;

function parseInterval(text: string, completions: number): Interval | { readonly error: string } {
  const limits = text.split("-");
  if (limits.length > 2) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return { error: `the fragment ${goQuote(text)} ${rule}` };
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    const parsed = parseInt64(limit, "Atoi");
    if ("error" in parsed) return { error: `cannot convert string to integer for index: ${goQuote(limit)}` };
    if (parsed.value >= completions) return { error: `too large index: ${goQuote(limit)}` };
    numbers.push(Number(parsed.value));
  }
  const [first = 0, last = first] = numbers;
  if (numbers.length > 1 && first >= last) return { error: notIncreasing(first, last) };
  return [first, last];
}
