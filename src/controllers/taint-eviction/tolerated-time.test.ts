import { describe, expect, it } from "vitest";
import type { Taint, Toleration } from "#api/generated/types/core-v1.ts";
import { toleratedMs } from "./tolerated-time.ts";

const taint = (key: string, value = ""): Taint => ({ key, value, effect: "NoExecute" });
const exists = (key: string, tolerationSeconds?: number | bigint): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});
const forever = Number.POSITIVE_INFINITY;

describe("the time that a pod tolerates", () => {
  it.each<[string, Taint[], Toleration[], number | undefined]>([
    ["no toleration", [taint("a")], [], undefined],
    ["a toleration of another key", [taint("a")], [exists("b", 5)], undefined],
    ["a toleration without a time", [taint("a")], [exists("a")], forever],
    ["a toleration with a time", [taint("a")], [exists("a", 5)], 5_000],
    ["a time of 0", [taint("a")], [exists("a", 0)], 0],
    ["a negative time", [taint("a")], [exists("a", -1)], 0],
    ["the shortest of two taints", [taint("a"), taint("b")], [exists("a", 60), exists("b", 5)], 5_000],
    ["one of two taints for ever", [taint("a"), taint("b")], [exists("a"), exists("b", 5)], 5_000],
    ["one of two taints not at all", [taint("a"), taint("b")], [exists("a", 60)], undefined],
    ["the first toleration that matches", [taint("a")], [exists("", 7), exists("a", 1)], 7_000],
    ["a time beyond Go's durations", [taint("a")], [exists("a", 9_223_372_037n)], forever],
  ])("taint-eviction/4 of %s", (_name, taints, tolerations, ms) => {
    expect(toleratedMs(taints, tolerations, false)).toBe(ms);
  });

  it("taint-eviction/4 compares integers behind the gate alone", () => {
    const above: Toleration = { key: "level", operator: "Gt", value: "3", effect: "NoExecute" };
    expect(toleratedMs([taint("level", "5")], [above], true)).toBe(forever);
    expect(toleratedMs([taint("level", "5")], [above], false)).toBeUndefined();
  });
});
