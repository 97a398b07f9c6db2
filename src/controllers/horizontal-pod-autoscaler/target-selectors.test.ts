import { expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { selectorFromSet } from "#api/label-selector.ts";
import { stored } from "#api/testing.ts";
import { TargetSelectors } from "./target-selectors.ts";

it("horizontal-pod-autoscaler/5 finds the autoscalers of a namespace that select a pod", () => {
  const selectors = new TargetSelectors();
  const web = selectorFromSet({ app: "web" });
  const pods = [stored(Pods, { metadata: { name: "one", namespace: "a", labels: { app: "web" } } })];
  expect(["a/y", "a/x", "b/x", "a/x"].map((key) => selectors.register(key))).toEqual([true, true, true, false]);
  expect(selectors.selecting("a", pods)).toEqual([]);
  for (const key of ["a/y", "a/x", "b/x", "a/unknown"]) selectors.set(key, web);
  expect(selectors.selecting("a", pods)).toEqual(["a/x", "a/y"]);
  selectors.set("a/y", selectorFromSet({ app: "other" }));
  expect(selectors.selecting("a", pods)).toEqual(["a/x"]);
  selectors.forget("a/x");
  selectors.forget("b/x");
  expect(["a", "b"].map((namespace) => selectors.selecting(namespace, pods))).toEqual([[], []]);
  expect(selectors.register("b/x")).toBe(true);
});
