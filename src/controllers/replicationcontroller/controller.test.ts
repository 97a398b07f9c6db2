import { describe, expect, it } from "vitest";
import { replicationController, replicationControllerKind } from "./controller.ts";

describe("replicationcontroller-controller", () => {
  it("replicationcontroller/about is known by its alias and needs no gate", () => {
    const { name, aliases, featureGates, identity } = replicationController;
    expect({ name, aliases, featureGates, identity }).toEqual({
      name: "replicationcontroller-controller",
      aliases: ["replicationcontroller"],
      featureGates: [],
      identity: "replication-controller",
    });
  });

  const selectors = [
    { what: "a map", spec: { selector: { app: "web" } }, matches: [true, false] },
    { what: "an empty map", spec: { selector: {} }, matches: [true, true] },
    { what: "no selector", spec: {}, matches: [false, false] },
    { what: "no spec", spec: undefined, matches: [false, false] },
  ];
  for (const { what, spec, matches } of selectors) {
    it(`replicationcontroller/2 ${what}: matches ${matches.join(", ")}`, () => {
      const selector = replicationControllerKind.selectorOf(spec === undefined ? {} : { spec });
      expect([selector.matches({ app: "web" }), selector.matches({ app: "api" })]).toEqual(matches);
    });
  }
});
