import { describe, expect, it } from "vitest";
import { remainsOf } from "./remains.ts";

const item = (...finalizers: readonly string[]) => ({ metadata: { finalizers } });

describe("what remains of a resource", () => {
  it.each([
    ["nothing, whatever pods were given", [], 30, { estimateSeconds: 0, count: 0 }],
    ["an unknown number, when it cannot be listed", undefined, 30, { estimateSeconds: 30, count: 0 }],
    ["for the grace period of pods", [item()], 30, { estimateSeconds: 30, count: 1 }],
    ["for the grace period, finalizers or not", [item("a/b")], 30, { estimateSeconds: 30, count: 1 }],
    ["for 15 s when a finalizer holds an object", [item(), item("a/b")], 0, { estimateSeconds: 15, count: 2 }],
    ["for no reason", [item(), item()], 0, { estimateSeconds: 0, count: 2 }],
  ])("namespace/8 is there: %s", (_, items, graceSeconds, expected) => {
    expect(remainsOf(items, graceSeconds)).toMatchObject(expected);
  });

  it("namespace/13 is counted by finalizer", () => {
    const { finalizers } = remainsOf([item("a/b", "c/d"), item("a/b")], 0);
    expect(Object.fromEntries(finalizers)).toEqual({ "a/b": 2, "c/d": 1 });
  });
});
