import { describe, expect, it } from "vitest";
import { ReplicationControllers } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { replicationControllerKind } from "./kinds.ts";

describe("the kind ReplicationController", () => {
  it("replicationcontroller/about has a separate queue, and no gate", () => {
    expect(replicationControllerKind).toMatchObject({
      queueName: "replicationmanager",
      consistencyGate: undefined,
      reportsTerminating: false,
      ranksBySiblings: false,
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
      const selector = replicationControllerKind.selectorOf(
        stored(ReplicationControllers, { metadata: { name: "web" }, ...(spec === undefined ? {} : { spec }) }),
      );
      expect([selector.matches({ app: "web" }), selector.matches({ app: "api" })]).toEqual(matches);
    });
  }
});
