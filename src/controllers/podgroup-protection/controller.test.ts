import { expect, it } from "vitest";
import { knownController } from "#kit/known-controllers.ts";
import { podGroupProtection } from "./controller.ts";

it("podgroup-protection/about, podgroup-protection/watches, podgroup-protection/writes, podgroup-protection/events, podgroup-protection/metrics is behind its gate and only updates groups", () => {
  expect(knownController(podGroupProtection.name)).toMatchObject({
    identity: "podgroup-protection-controller",
    aliases: [],
    featureGates: ["GenericWorkload"],
  });
  const { watches, reads, writes } = podGroupProtection.contract;
  expect(watches.map(({ resource }) => resource)).toEqual(["podgroups", "pods"]);
  expect(reads).toEqual([]);
  expect(writes.map(({ verb, resource, subresource }) => [verb, resource, subresource])).toEqual([
    ["update", "podgroups", ""],
  ]);
});
