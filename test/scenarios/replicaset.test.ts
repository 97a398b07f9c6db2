import { describe, expect, it } from "vitest";
import { embeddedStage } from "./embedded-stage.ts";
import { playEmbedded } from "./embedded-suite.ts";
import { scenarios } from "./replicaset.ts";
import { podScenarios } from "./replicaset-pods.ts";

describe("replicaset on the embedded server", () => {
  playEmbedded(["replicaset-controller"], [...scenarios, ...podScenarios]);

  it("replicaset/7 is silent when nothing changes: no write in ten idle minutes", async () => {
    const stage = await embeddedStage({ controllers: ["replicaset-controller"] });
    await scenarios[0]?.play(stage);
    await stage.pass(60_000);
    const before = (await stage.writes()).length;
    await stage.pass(600_000);
    expect((await stage.writes()).length).toBe(before);
    await stage.stop();
  });
});
