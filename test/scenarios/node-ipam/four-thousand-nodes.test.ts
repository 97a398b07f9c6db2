// 4,096 nodes and exactly as many ranges: every node gets one and no range is given twice, although managers die and
// replies are lost.

import { expect, it } from "vitest";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import { defaultConfig } from "#manager/options/config.ts";
import type { RunningManager } from "#sim/world.ts";
import type { Interception } from "#test/stage/faulty-network.ts";
import { WireStage } from "#test/stage/wire-stage.ts";

const NODES = 4096;
const BATCHES = 16;
/** One in this many patches loses its reply after the server has stored the range. */
const LOST_EACH = 97;

function startManager(stage: WireStage, onPatch: () => void): RunningManager {
  const { KubeCloudShared, NodeIPAMController } = defaultConfig;
  let patches = 0;
  const intercept: Interception = async ({ method }, _, pass) => {
    if (method !== "PATCH") return undefined;
    const response = await pass();
    onPatch();
    if (++patches % LOST_EACH === 0) throw new Error("the reply was lost");
    return response;
  };
  return stage.startManager({
    config: {
      KubeCloudShared: { ...KubeCloudShared, AllocateNodeCIDRs: true, ClusterCIDR: "10.128.0.0/16" },
      NodeIPAMController: { ...NodeIPAMController, NodeCIDRMaskSize: 28, ServiceCIDR: "10.0.0.0/24" },
    },
    intercept,
  });
}

it("node-ipam/3, node-ipam/4, node-ipam/reads-live gives 4,096 nodes all ranges of a /16, each once, while managers die", async () => {
  const controllers = ["node-ipam-controller"];
  await using stage = await new WireStage({ controllers, seed: "four thousand nodes" }).opened();
  let patchesUntilDeath = Number.POSITIVE_INFINITY;
  let ended: Promise<void> | undefined;
  let deaths = 0;
  const onPatch = (): void => {
    // In the middle of its work, with patches in progress.
    if (--patchesUntilDeath === 0) ended = manager.stop();
  };
  let manager = startManager(stage, onPatch);
  await stage.pass(1000);
  for (let batch = 0; batch < BATCHES; batch++) {
    patchesUntilDeath = batch % 2 === 0 ? 50 + 10 * batch : Number.POSITIVE_INFINITY;
    await stage.do(async (client, signal) => {
      for (let i = 0; i < NODES / BATCHES; i++) {
        const name = `node-${batch}-${i}`;
        await client.resource(Nodes).create({ object: { metadata: { name } } }, signal);
      }
    });
    await stage.pass(1000);
    if (ended !== undefined) {
      await ended;
      ended = undefined;
      deaths++;
      manager = startManager(stage, onPatch);
    }
    await stage.pass(1000);
  }
  await stage.pass(60_000);
  const { items } = await stage.do((client, signal) => client.resource(Nodes).list({}, signal));
  const ranges = items.map(({ spec }) => spec?.podCIDR);
  expect(deaths).toBe(BATCHES / 2);
  expect(ranges).toHaveLength(NODES);
  expect(ranges.every((range) => range !== undefined && /^10\.128\.\d+\.\d+\/28$/.test(range))).toBe(true);
  expect(new Set(ranges).size).toBe(NODES);
}, 120_000);
