// The TTL follows the number of nodes in events, not in lists.

import { expect, it } from "vitest";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import { refusal } from "#test/stage/faulty-network.ts";
import { WireStage } from "#test/stage/wire-stage.ts";

const TTL = "node.alpha.kubernetes.io/ttl";

class NodesWorld extends WireStage {
  static open(seed: string): Promise<NodesWorld> {
    return new NodesWorld({ controllers: ["ttl-controller"], seed }).opened();
  }

  /** Overwrites the node's annotation, so that the controller sets the current TTL again; returns the TTL. */
  async ttl(name: string): Promise<string | undefined> {
    await this.of(Nodes).patch(name, { metadata: { annotations: { [TTL]: "no number" } } });
    await this.pass(1000);
    return (await this.of(Nodes).find(name))?.metadata.annotations?.[TTL];
  }
}

it("ttl/traps counts each node once, however often all nodes are listed", async () => {
  const state = { isExpired: false, lists: 0 };
  await using world = await NodesWorld.open("lists");
  for (let index = 0; index < 95; index++) await world.of(Nodes).create({ metadata: { name: `node-${index}` } });
  world.startManager({
    intercept: ({ method, path, query = "" }) => {
      if (method !== "GET" || path !== "/api/v1/nodes") return undefined;
      const isWatch = query.includes("watch=") && !query.includes("sendInitialEvents");
      if (!isWatch) state.lists++;
      return isWatch && state.isExpired ? refusal(410, "Expired") : undefined;
    },
  });
  await world.pass(1000);
  expect(await world.ttl("node-0")).toBe("0");
  state.isExpired = true;
  await world.pass(1_800_000);
  state.isExpired = false;
  await world.pass(60_000);
  expect(state.lists).toBeGreaterThan(2);
  expect(await world.ttl("node-0")).toBe("0");
  for (let index = 95; index < 101; index++) await world.of(Nodes).create({ metadata: { name: `node-${index}` } });
  await world.pass(1000);
  expect(await world.ttl("node-0")).toBe("15");
});
