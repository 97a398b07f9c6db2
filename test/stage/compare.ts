// Compares two normalised runs: each section must have the same items, in any order. An item that differs from its
// counterpart is reported field by field; an item without a counterpart is reported as missing or extra.

import { goSortedJson } from "#base/go-text.ts";
import type { Item, Section } from "./items.ts";

export interface Difference {
  /** Section, item and field: "writes of phase 1 › pods web-{?} › 0.body.metadata.labels". */
  readonly where: string;
  /** Undefined if the left run has no such value. */
  readonly left: unknown;
  readonly right: unknown;
}

export function compare(left: readonly Section[], right: readonly Section[]): readonly Difference[] {
  const names = new Set([...left, ...right].map(({ name }) => name));
  const itemsOf = (sections: readonly Section[], name: string): readonly Item[] =>
    sections.find((section) => section.name === name)?.items ?? [];
  return [...names].flatMap((name) =>
    compareItems(itemsOf(left, name), itemsOf(right, name)).map((difference) => ({
      ...difference,
      where: `${name} › ${difference.where}`,
    })),
  );
}

function compareItems(left: readonly Item[], right: readonly Item[]): readonly Difference[] {
  const labels = [...new Set([...left, ...right].map(({ label }) => label))].sort();
  return labels.flatMap((label) => {
    const of = (items: readonly Item[]): unknown[] =>
      items.filter((item) => item.label === label).map(({ value }) => value);
    const [onlyLeft, onlyRight] = withoutCommon(of(left), of(right));
    const pairs = Math.max(onlyLeft.length, onlyRight.length);
    return Array.from({ length: pairs }, (_, index) => deepDifferences(onlyLeft[index], onlyRight[index])).flatMap(
      (found) =>
        found.map((difference) => ({
          ...difference,
          where: difference.where === "" ? label : `${label} › ${difference.where}`,
        })),
    );
  });
}

function withoutCommon(left: readonly unknown[], right: readonly unknown[]): readonly [unknown[], unknown[]] {
  const unmatched = right.map((value) => ({ value, text: canonical(value) }));
  const onlyLeft = left.filter((value) => {
    const text = canonical(value);
    const index = unmatched.findIndex((candidate) => candidate.text === text);
    if (index >= 0) unmatched.splice(index, 1);
    return index < 0;
  });
  const sorted = (values: readonly unknown[]): unknown[] =>
    values.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  return [sorted(onlyLeft), sorted(unmatched.map(({ value }) => value))];
}

export function deepDifferences(left: unknown, right: unknown, where = ""): readonly Difference[] {
  if (canonical(left) === canonical(right)) return [];
  const areBoth = (test: (value: unknown) => boolean): boolean => test(left) && test(right);
  if (areBoth(Array.isArray) || areBoth(isPlain)) {
    const a = left as Readonly<Record<string, unknown>>;
    const b = right as Readonly<Record<string, unknown>>;
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return keys.flatMap((key) => deepDifferences(a[key], b[key], where === "" ? key : `${where}.${key}`));
  }
  return [{ where, left, right }];
}

function isPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON with sorted keys: the order of fields does not count. */
function canonical(value: unknown): string {
  return value === undefined ? "" : goSortedJson(value);
}
