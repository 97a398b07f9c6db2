import { describe, expect, it } from "vitest";
import { embeddedStage } from "./embedded-stage.ts";
import { scenarios } from "./replicaset.ts";

const play = async (index: number): Promise<readonly string[]> => {
  const scenario = scenarios[index];
  const stage = await embeddedStage({ controllers: ["replicaset-controller"], seed: `replicaset ${index}` });
  try {
    await scenario?.play(stage);
    return [...stage.world.log.lines];
  } finally {
    await stage.stop();
  }
};

describe("replicaset on the embedded server", () => {
  for (const [index, { name }] of scenarios.entries()) {
    it(name, async () => {
      const trace = await play(index);
      expect(trace.length).toBeGreaterThan(4);
      expect(await play(index)).toEqual(trace); // the same seed, the same run
    });
  }

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
