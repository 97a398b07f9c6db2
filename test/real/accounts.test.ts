import { afterAll, beforeAll, it } from "vitest";
import { publisherScenarios } from "#test/scenarios/account-publisher-scenarios.ts";
import { accountScenarios } from "#test/scenarios/account-scenarios.ts";
import { tokenScenarios } from "#test/scenarios/account-token-scenarios.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type OurManager, startOurManager } from "./our-manager.ts";
import { realStage } from "./real-stage.ts";
import { describeReal } from "./suite.ts";

describeReal("the controllers around service accounts on a real kube-apiserver", () => {
  let plane: ControlPlane;
  let ours: OurManager;
  beforeAll(async () => {
    plane = await startControlPlane();
    const controllers = [
      "serviceaccount-token-controller",
      "serviceaccount-controller",
      "root-ca-certificate-publisher-controller",
    ];
    ours = await startOurManager(plane, { controllers });
  }, 120_000);
  afterAll(async () => {
    await ours.stop();
    await plane.stop();
  }, 60_000);

  for (const scenario of [...accountScenarios, ...publisherScenarios, ...tokenScenarios]) {
    it(scenario.name, async () => scenario.play(await realStage(plane)), 60_000);
  }
});
