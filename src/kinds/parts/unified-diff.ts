// The difference of two values' JSON as error messages show it: three lines of context, and the matching blocks of
// Python's difflib, which ignores popular lines.
// Upstream: k8s.io/apimachinery/pkg/util/diff, Diff; github.com/pmezard/go-difflib

import { stringifyJson } from "#base/json.ts";

interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Change {
  readonly isEqual: boolean;
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

const CONTEXT = 3;
const POPULAR_FROM_LINES = 200;

export function diffJson(a: unknown, b: unknown): string {
  return unifiedDiff(prettyLines(a), prettyLines(b));
}

function prettyLines(value: unknown): string[] {
  const escaped = stringifyJson(value, 1).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return escaped.split("\n");
}

export function unifiedDiff(a: readonly string[], b: readonly string[]): string {
  let out = "";
  for (const group of grouped(changes(a, b))) {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) continue;
    out += `@@ -${range(first.aFrom, last.aTo)} +${range(first.bFrom, last.bTo)} @@\n`;
    for (const { isEqual, aFrom, aTo, bFrom, bTo } of group) {
      for (const line of a.slice(aFrom, aTo)) out += `${isEqual ? " " : "-"}${line}\n`;
      if (!isEqual) for (const line of b.slice(bFrom, bTo)) out += `+${line}\n`;
    }
  }
  return out;
}

function range(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return `${from + 1}`;
  return `${length === 0 ? from : from + 1},${length}`;
}

function positions(b: readonly string[]): Map<string, number[]> {
  const byLine = new Map<string, number[]>();
  b.forEach((line, i) => {
    const known = byLine.get(line);
    if (known) known.push(i);
    else byLine.set(line, [i]);
  });
  if (b.length >= POPULAR_FROM_LINES) {
    const limit = Math.floor(b.length / 100) + 1;
    for (const [line, places] of byLine) if (places.length > limit) byLine.delete(line);
  }
  return byLine;
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  [aFrom, aTo, bFrom, bTo]: readonly [number, number, number, number],
): Block {
  let best: Block = { a: aFrom, b: bFrom, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = aFrom; i < aTo; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? "") ?? []) {
      if (j < bFrom) continue;
      if (j >= bTo) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  let { a: i, b: j, size } = best;
  while (i > aFrom && j > bFrom && a[i - 1] === b[j - 1]) [i, j, size] = [i - 1, j - 1, size + 1];
  while (i + size < aTo && j + size < bTo && a[i + size] === b[j + size]) size++;
  return { a: i, b: j, size };
}

function matchingBlocks(a: readonly string[], b: readonly string[]): Block[] {
  const places = positions(b);
  const found: Block[] = [];
  const search = (aFrom: number, aTo: number, bFrom: number, bTo: number): void => {
    const match = longestMatch(a, b, places, [aFrom, aTo, bFrom, bTo]);
    if (match.size === 0) return;
    if (aFrom < match.a && bFrom < match.b) search(aFrom, match.a, bFrom, match.b);
    const previous = found.at(-1);
    if (previous && previous.a + previous.size === match.a && previous.b + previous.size === match.b) {
      found[found.length - 1] = { ...previous, size: previous.size + match.size };
    } else found.push(match);
    const [i, j] = [match.a + match.size, match.b + match.size];
    if (i < aTo && j < bTo) search(i, aTo, j, bTo);
  };
  search(0, a.length, 0, b.length);
  return [...found, { a: a.length, b: b.length, size: 0 }];
}

function changes(a: readonly string[], b: readonly string[]): Change[] {
  const out: Change[] = [];
  let [i, j] = [0, 0];
  for (const block of matchingBlocks(a, b)) {
    if (i < block.a || j < block.b) out.push({ isEqual: false, aFrom: i, aTo: block.a, bFrom: j, bTo: block.b });
    [i, j] = [block.a + block.size, block.b + block.size];
    if (block.size > 0) out.push({ isEqual: true, aFrom: block.a, aTo: i, bFrom: block.b, bTo: j });
  }
  return out;
}

/** Groups of changes with their context, separated by long equal runs. */
function grouped(all: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  all.forEach((change, i) => {
    if (!change.isEqual) {
      group.push(change);
      return;
    }
    const { aFrom, aTo, bFrom, bTo } = change;
    const length = aTo - aFrom;
    const isFirst = i === 0;
    const isLast = i === all.length - 1;
    const head = {
      isEqual: true,
      aFrom,
      aTo: Math.min(aTo, aFrom + CONTEXT),
      bFrom,
      bTo: Math.min(bTo, bFrom + CONTEXT),
    };
    const tail = {
      isEqual: true,
      aFrom: Math.max(aFrom, aTo - CONTEXT),
      aTo,
      bFrom: Math.max(bFrom, bTo - CONTEXT),
      bTo,
    };
    if (isFirst) group.push(tail);
    else if (isLast) group.push(head);
    else if (length > 2 * CONTEXT) {
      groups.push([...group, head]);
      group = [tail];
    } else group.push(change);
  });
  if (group.length > 0 && !(group.length === 1 && group[0]?.isEqual)) groups.push(group);
  return groups;
}
