import { afterAll, beforeAll, expect, it } from "vitest";
import { scenarios } from "#test/scenarios/replicaset.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type OurManager, startOurManager } from "./our-manager.ts";
import { realStage } from "./real-stage.ts";
import { describeReal } from "./suite.ts";

describeReal(
  "replicaset on a real kube-apiserver, under its own service account, beside Go's other controllers",
  () => {
    let plane: ControlPlane;
    let ours: OurManager;
    beforeAll(async () => {
      plane = await startControlPlane();
      await plane.startGoManager({ controllers: ["*", "-replicaset-controller", "-replicationcontroller-controller"] });
      ours = await startOurManager(plane, {
        controllers: ["replicaset-controller", "replicationcontroller-controller"],
      });
    }, 120_000);
    afterAll(async () => {
      await ours.stop();
      await plane.stop();
    });

    for (const scenario of scenarios) {
      it(scenario.name, async () => scenario.play(await realStage(plane)), 120_000);
    }

    it("was never refused by RBAC", async () => {
      const refused = plane.audit
        .since()
        .filter(({ user, responseStatus }) => user.username.includes("replica") && responseStatus?.code === 403);
      expect(refused.filter(({ responseStatus }) => /cannot/.test(responseStatus?.message ?? ""))).toEqual([]);
    });
  },
);
