import { expect, it } from "vitest";
import type { Toleration } from "#api/generated/types/core-v1.ts";
import { tolerates } from "./toleration.ts";

const taint = { key: "a", value: "b", effect: "NoSchedule" };

it.each<[boolean, Toleration]>([
  [true, { key: "a", value: "b" }],
  [true, { key: "a", operator: "Equal", value: "b", effect: "NoSchedule" }],
  [true, { key: "a", operator: "Exists" }],
  [true, { operator: "Exists" }],
  [true, { operator: "Exists", effect: "NoSchedule" }],
  [false, { key: "a", value: "c" }],
  [false, { key: "a" }],
  [false, { key: "c", operator: "Exists" }],
  [false, { key: "a", operator: "Exists", effect: "NoExecute" }],
  [false, { key: "a", operator: "Gt", value: "1" }],
])("is %j of %j", (expected, toleration) => {
  expect(tolerates(toleration, taint)).toBe(expected);
});

it("takes a taint without a value for an empty one", () => {
  expect(tolerates({ key: "a" }, { key: "a", effect: "NoExecute" })).toBe(true);
});

it("compares integers where the gate allows it", () => {
  const size = (value: string) => ({ key: "a", value, effect: "NoSchedule" });
  expect(tolerates({ key: "a", operator: "Gt", value: "5" }, size("6"), true)).toBe(true);
  expect(tolerates({ key: "a", operator: "Gt", value: "5" }, size("5"), true)).toBe(false);
  expect(tolerates({ key: "a", operator: "Lt", value: "5" }, size("-6"), true)).toBe(true);
  expect(tolerates({ key: "a", operator: "Lt", value: "5" }, size("04"), true)).toBe(false);
  expect(tolerates({ key: "a", operator: "Lt", value: "5" }, size("4"))).toBe(false);
});
