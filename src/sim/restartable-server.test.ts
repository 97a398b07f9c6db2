import { describe, expect, it } from "vitest";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import type { WatchEvent } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import { hostTurn, neverAborted } from "#base/testing.ts";
import type { Client } from "#client/client.ts";
import { isExpiredVersion } from "#informers/errors.ts";
import { MemoryDisk } from "./memory-journal.ts";
import { World } from "./world.ts";

const signal = neverAborted();

function openWorld(): World {
  const disk = new MemoryDisk();
  return new World({ turn: hostTurn, gates: { gates: {} }, openJournal: () => disk.open() });
}

function create(client: Client, name: string): Promise<StoredObject> {
  return client.resource(ConfigMaps).create({ namespace: "default", object: { metadata: { name } } }, signal);
}

const names = (world: World): Promise<readonly (string | undefined)[]> =>
  world.do(async (client) => {
    const { items } = await client.resource(ConfigMaps).list({ namespace: "default" }, signal);
    return items.map(({ metadata }) => metadata.name);
  });

describe("a server that is killed and started again", () => {
  it("refuses connections meanwhile, and has afterwards what it had acknowledged", async () => {
    const world = openWorld();
    await world.do((client) => create(client, "a"));
    world.server.kill();
    await expect(world.do((client) => create(client, "b"))).rejects.toMatchObject({ failure: "refused" });
    world.server.start();
    expect(await names(world)).toEqual(["a"]);
    await world.do((client) => create(client, "c"));
    expect(await names(world)).toEqual(["a", "c"]);
  });

  it("killed after a write: it is durable, and nobody was told, neither its writer nor a watch", async () => {
    const world = openWorld();
    const seen: WatchEvent<StoredObject>[] = [];
    let end: unknown;
    const watch = await world.do((client) => client.resource(ConfigMaps).watch({ namespace: "default" }, signal));
    const following = (async () => {
      for await (const batch of watch) seen.push(...batch);
    })().catch((error: unknown) => (end = error));
    world.server.killAfterWrite(({ key }) => key === "default/b");
    await world.do((client) => create(client, "a"));
    await expect(world.do((client) => create(client, "b"))).rejects.toMatchObject({ failure: "reset" });
    await following;
    expect(seen.map(({ object }) => object.metadata.name)).toEqual(["a"]);
    expect(end).toMatchObject({ failure: "reset" });
    world.server.start();
    expect(await names(world)).toEqual(["a", "b"]);
  });

  it.each([
    { forgetsHistory: false, expired: false },
    { forgetsHistory: true, expired: true },
  ])(
    "a watch from before goes on, unless history was forgotten: $forgetsHistory",
    async ({ forgetsHistory, expired }) => {
      const world = openWorld();
      const { metadata } = await world.do((client) => create(client, "a"));
      await world.do((client) => create(client, "b"));
      world.server.kill();
      world.server.start({ forgetsHistory });
      const first = await world.do(async (client) => {
        const from = { namespace: "default", resourceVersion: metadata?.resourceVersion ?? "" };
        try {
          for await (const batch of await client.resource(ConfigMaps).watch(from, signal)) return batch[0];
          return undefined;
        } catch (error) {
          return error;
        }
      });
      const isExpired = isExpiredVersion(first) || (first as { type?: string }).type === "ERROR";
      expect(isExpired).toBe(expired);
    },
  );

  it("a journal of a process that has ended takes nothing more", () => {
    const disk = new MemoryDisk();
    const journal = disk.open();
    const entry = { revision: 2, resource: "pods", key: "a/b", object: {}, isDeletion: false };
    journal.append(entry);
    journal.close();
    expect(() => journal.append({ ...entry, revision: 3 })).toThrow("has ended");
    expect(disk.open().load()).toEqual({ revision: 2, compactedRevision: 0, entries: [entry] });
  });
});
