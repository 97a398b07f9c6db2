import { expect, it } from "vitest";
import { findCondition, withCondition, withoutCondition } from "./conditions.ts";

const ready = { type: "Ready", status: "True", reason: "Up", message: "first" };
const failed = { type: "Failed", status: "False", reason: "No", message: "" };

it("finds, replaces and removes conditions by type", () => {
  const conditions = [ready, failed];
  expect(findCondition(conditions, "Failed")).toBe(failed);
  expect(findCondition(conditions, "Other")).toBeUndefined();
  expect(withoutCondition(conditions, "Ready")).toEqual([failed]);
  const down = { ...ready, status: "False" };
  expect(withCondition(conditions, down)).toEqual([failed, down]);
  expect(withCondition([], ready)).toEqual([ready]);
});

it("leaves a condition of the same status and reason as it was first worded", () => {
  const conditions = [ready, failed];
  expect(withCondition(conditions, { ...ready, message: "again" })).toBe(conditions);
});
