import { it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { bytesTransport } from "#apiserver/in-process-transport.ts";
import { hostTurn } from "#base/testing.ts";
import { World } from "#sim/world.ts";
import { playControllerContext } from "./controller-context.ts";

it("machinery/1.2.7, machinery/1.2.8, machinery/1.3.8, core/6 gives controllers their informers, mappings and clients, and takes them back, on the embedded server", async () => {
  const world = new World({ turn: hostTurn, gates: featureGateTable() });
  await playControllerContext({
    clock: world.clock,
    transport: bytesTransport(world.server, { peer: { user: { name: "admin", groups: ["system:masters"] } } }),
    admin: world.client,
    do: (call) => world.do(call),
    until: (probe) => world.until(probe),
  });
});
