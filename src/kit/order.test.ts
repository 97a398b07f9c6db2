import { expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { StoredObject } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { compareText, olderFirst } from "./order.ts";

const made = (name: string, creationTimestamp: string): StoredObject =>
  stored(Pods, { metadata: { name, creationTimestamp } });

it("text is compared by its characters", () => {
  expect(["b", "a-1", "a", "B", "a"].toSorted(compareText)).toEqual(["B", "a", "a", "a-1", "b"]);
  expect(compareText("a", "a")).toBe(0);
});

it("the older comes first, then the lesser name", () => {
  const objects = [
    made("late", "2026-01-01T00:00:02Z"),
    made("b", "2026-01-01T00:00:01Z"),
    made("a", "2026-01-01T00:00:01Z"),
    made("ancient", "1969-12-31T00:00:00Z"),
  ];
  const names = ["ancient", "a", "b", "late"];
  expect(objects.toSorted(olderFirst).map(({ metadata }) => metadata.name)).toEqual(names);
  expect(
    objects
      .toReversed()
      .toSorted(olderFirst)
      .map(({ metadata }) => metadata.name),
  ).toEqual(names);
});
