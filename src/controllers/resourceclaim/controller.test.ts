import { expect, it } from "vitest";
import { knownController } from "#kit/known-controllers.ts";
import { resourceClaimController } from "./controller.ts";

it("resourceclaim/about, resourceclaim/config has its alias, gate and identity", () => {
  expect(knownController(resourceClaimController.name)).toMatchObject({
    identity: "resource-claim-controller",
    aliases: ["resource-claim-controller"],
    featureGates: ["DynamicResourceAllocation"],
  });
});
