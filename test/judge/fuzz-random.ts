// Random choices for fuzzed requests, and edits of objects by JSON pointer.

import type { Rng } from "#base/rng.ts";

export const pick = <T>(rng: Rng, items: readonly T[]): T => items[rng.below(items.length)] as T;
export const chance = (rng: Rng, percent: number): boolean => rng.below(100) < percent;

/** Values by JSON pointer; undefined removes. Missing parents are created; "-" is the end of a list. */
export type Edits = Readonly<Record<string, unknown>>;

/** Some of the items, each at most once, in order. */
export function some<T>(rng: Rng, items: readonly T[], max: number): readonly T[] {
  const wanted = rng.below(max + 1);
  const chosen = new Set(Array.from({ length: Math.min(wanted, items.length) }, () => rng.below(items.length)));
  return items.filter((_, index) => chosen.has(index));
}

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");
const isIndex = (part: string | undefined): boolean => part !== undefined && /^(\d+|-)$/.test(part);

/** Returns a changed copy. */
export function edited<T>(object: T, ...all: readonly Edits[]): T {
  const copy = structuredClone(object);
  for (const edits of all) for (const [pointer, value] of Object.entries(edits)) edit(copy, pointer, value);
  return copy;
}

function edit(object: unknown, pointer: string, value: unknown): void {
  const parts = pointer.split("/").slice(1).map(unescaped);
  let at = object as Record<string, unknown>;
  for (const [index, part] of parts.entries()) {
    const key = part === "-" ? String((at as unknown as unknown[]).length) : part;
    if (index === parts.length - 1) {
      if (value === undefined) delete at[key];
      else at[key] = structuredClone(value);
      return;
    }
    const next = at[key];
    if (typeof next !== "object" || next === null) at[key] = isIndex(parts[index + 1]) ? [] : {};
    at = at[key] as Record<string, unknown>;
  }
}

/** The edits as a merge patch, without those inside lists. */
export function asMergePatch(edits: Edits): Record<string, unknown> {
  const nested = Object.entries(edits).filter(([pointer]) => !pointer.split("/").some(isIndex));
  return edited({}, Object.fromEntries(nested.map(([pointer, value]) => [pointer, value ?? null])));
}

/** The edits as a JSON patch; the parents must exist. */
export function asJsonPatch(edits: Edits): object[] {
  return Object.entries(edits).map(([path, value]) =>
    value === undefined ? { op: "remove", path } : { op: "add", path, value },
  );
}
