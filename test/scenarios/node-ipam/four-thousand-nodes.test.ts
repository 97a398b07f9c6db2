// 4,096 nodes and exactly as many ranges: every node gets one and no range is given twice, although managers die and
// replies are lost.

import { expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import type { Transport } from "#base/http.ts";
import { hostTurn } from "#base/testing.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { type RunningManager, World } from "#sim/world.ts";

const NODES = 4096;
const BATCHES = 16;
/** One in this many patches loses its reply after the server has stored the range. */
const LOST_EACH = 97;

function startManager(world: World, onPatch: () => void): RunningManager {
  const { KubeCloudShared, NodeIPAMController } = defaultConfig;
  let patches = 0;
  const network = (transport: Transport): Transport => ({
    async send(request, signal) {
      const response = await transport.send(request, signal);
      if (request.method !== "PATCH") return response;
      onPatch();
      if (++patches % LOST_EACH === 0) throw new Error("the reply was lost");
      return response;
    },
  });
  return world.startManager({
    controllers: ["node-ipam-controller"],
    config: {
      KubeCloudShared: { ...KubeCloudShared, AllocateNodeCIDRs: true, ClusterCIDR: "10.128.0.0/16" },
      NodeIPAMController: { ...NodeIPAMController, NodeCIDRMaskSize: 28, ServiceCIDR: "10.0.0.0/24" },
    },
    network,
  });
}

it("node-ipam/3, node-ipam/4, node-ipam/reads-live gives 4,096 nodes all ranges of a /16, each once, while managers die", async () => {
  const world = new World({ turn: hostTurn, gates: featureGateTable(), seed: "four thousand nodes" });
  let patchesUntilDeath = Number.POSITIVE_INFINITY;
  let ended: Promise<void> | undefined;
  let deaths = 0;
  const onPatch = (): void => {
    // In the middle of its work, with patches in progress.
    if (--patchesUntilDeath === 0) ended = manager.stop();
  };
  let manager = startManager(world, onPatch);
  await world.advance(1000);
  for (let batch = 0; batch < BATCHES; batch++) {
    patchesUntilDeath = batch % 2 === 0 ? 50 + 10 * batch : Number.POSITIVE_INFINITY;
    await world.do(async (client, signal) => {
      for (let i = 0; i < NODES / BATCHES; i++) {
        const name = `node-${batch}-${i}`;
        await client.resource(Nodes).create({ object: { metadata: { name } } }, signal);
      }
    });
    await world.advance(1000);
    if (ended !== undefined) {
      await ended;
      ended = undefined;
      deaths++;
      manager = startManager(world, onPatch);
    }
    await world.advance(1000);
  }
  await world.advance(60_000);
  const { items } = await world.do((client, signal) => client.resource(Nodes).list({}, signal));
  const ranges = items.map(({ spec }) => spec?.podCIDR);
  expect(deaths).toBe(BATCHES / 2);
  expect(ranges).toHaveLength(NODES);
  expect(ranges.every((range) => range !== undefined && /^10\.128\.\d+\.\d+\/28$/.test(range))).toBe(true);
  expect(new Set(ranges).size).toBe(NODES);
  const last = manager.stop();
  await world.advance(1000);
  await last;
}, 120_000);
