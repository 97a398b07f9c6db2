// The factory has one informer per resource, form and selection. Informers start, stop and restart at run time.

import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { createInformerFactory, type InformerFactoryOptions } from "#informers/factory.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { DEFAULT_GATES } from "#informers/shared-informer.ts";
import { type Thing, ThingServer, Things } from "#informers/testing.ts";
import { deepFreeze, stripManagedFields } from "#informers/transforms.ts";

function setup(options: Partial<InformerFactoryOptions> = {}) {
  const clock = testClock();
  const server = new ThingServer();
  const client = createClient({ transport: server, clock, userAgent: "test" });
  const factory = createInformerFactory({ client, clock, rng: seededRng(1), ...options });
  return { clock, server, factory };
}

describe("factory", () => {
  it("machinery/5.5.11 gives all callers the same informer and starts each once", async () => {
    const { clock, server, factory } = setup();
    const first = factory.informer(Things);
    expect(factory.informer(Things)).toBe(first as never);
    factory.start();
    factory.start();
    await factory.waitForCacheSync(neverAborted());
    expect(server.requests).toHaveLength(1);
    const other = factory.informer(Things, { namespace: "x" });
    expect(other).not.toBe(first);
    await clock.settle();
    expect(other.hasSynced).toBe(false);
    factory.start();
    await factory.waitForCacheSync(neverAborted());
    expect(other.hasSynced).toBe(true);
    await factory.shutdown();
    expect(server.streams.size).toBe(0);
    expect(clock.pendingCount).toBe(0);
    factory.start();
    expect(first.isStopped).toBe(true);
  });

  it("machinery/5.5.12 keeps full and metadata-only caches apart", async () => {
    const { factory } = setup();
    expect(factory.metadataInformer(Things)).not.toBe(factory.informer(Things) as never);
    expect(factory.metadataInformer(Things)).toBe(factory.metadataInformer(Things));
  });

  it("machinery/5.5.12 gives callers that need only metadata the existing form, or else metadata", () => {
    const { factory } = setup();

    const partial = factory.informerOfAnyForm(Pods);
    expect(partial).toBe(factory.metadataInformer(Pods) as never);
    const full = factory.informer(Pods);
    expect(factory.informerOfAnyForm(Pods)).toBe(full);
    expect(partial).not.toBe(full);
  });

  it("machinery/5.5.11 stops an informer of metadata without handlers, and no other", async () => {
    const { clock, server, factory } = setup();
    const [full, partial] = [factory.informer(Things), factory.metadataInformer(Things)];
    const registration = partial.addHandler({});
    factory.start();
    await factory.waitForCacheSync(neverAborted());
    await factory.stopUnused(full);
    await factory.stopUnused(partial);
    expect([full.isStopped, partial.isStopped]).toEqual([false, false]);
    registration[Symbol.dispose]();
    await factory.stopUnused(partial);
    expect([full.isStopped, partial.isStopped]).toEqual([false, true]);
    expect(factory.metadataInformer(Things)).not.toBe(partial);
    await factory.shutdown();
    expect([server.streams.size, clock.pendingCount]).toEqual([0, 0]);
  });

  it("machinery/5.5.11 stops an informer and starts a fresh one, without a leak", async () => {
    const { clock, server, factory } = setup();
    server.put("a", 1);
    for (let round = 0; round < 10; round++) {
      const informer = factory.informer(Things);
      factory.start();
      await factory.waitForCacheSync(neverAborted());
      expect(informer.store.size).toBe(1);
      await factory.stop(informer);
      expect(informer.isStopped).toBe(true);
      expect(server.streams.size).toBe(0);
      expect(clock.pendingCount).toBe(0);
    }
  });

  it("machinery/5.5.11 stops the one that was meant, and forgets it alone", async () => {
    const { clock, server, factory } = setup();
    const [first, second] = ["x", "y"].map((namespace) => factory.informer(Things, { namespace })) as [
      SharedInformer<Thing>,
      SharedInformer<Thing>,
    ];
    factory.start();
    await clock.settle();
    await factory.stop(second);
    expect([first.isStopped, second.isStopped, server.streams.size]).toEqual([false, true, 1]);
    expect(factory.informer(Things, { namespace: "x" })).toBe(first as never);
    expect(factory.informer(Things, { namespace: "y" })).not.toBe(second as never);
    await factory.shutdown();
  });

  it("machinery/5.5.11 starts nothing after its end", async () => {
    const { clock, server, factory } = setup();
    await factory.shutdown();
    factory.informer(Things);
    factory.start();
    await clock.settle();
    expect(server.requests).toEqual([]);
  });

  it("machinery/5.5.12 full informers start first; metadata has a separate client and resync period", async () => {
    const clock = testClock();
    const order: string[] = [];
    const server = new ThingServer();
    server.put("a", 1);
    const clientOf = (name: string) =>
      createClient({
        transport: {
          send(request, signal) {
            order.push(name);
            return server.send(request, signal);
          },
        },
        clock,
        userAgent: "test",
      });
    const factory = createInformerFactory({
      client: clientOf("full"),
      metadataClient: clientOf("metadata"),
      clock,
      rng: seededRng(1),
      gates: { ...DEFAULT_GATES, WatchListClient: false },
      resyncPeriodMs: 60_000,
      metadataResyncPeriodMs: 10_000,
    });
    const heard: string[] = [];
    factory.metadataInformer(Things).addHandler({ onUpdate: () => heard.push("metadata") });
    factory.informer(Things).addHandler({ onUpdate: () => heard.push("full") });
    factory.start();
    await clock.settle();
    expect(order.slice(0, 2)).toEqual(["full", "metadata"]);
    expect(server.requests.filter((query) => query.startsWith("limit=500"))).toHaveLength(2);
    await clock.advance(20_500);
    expect(heard).toEqual(["metadata", "metadata"]);
    await clock.advance(40_000);
    expect(heard.filter((form) => form === "full")).toHaveLength(1);
    await factory.shutdown();
  });

  it("machinery/5.5.6 waits for the caches only as long as it may", async () => {
    const { clock, server, factory } = setup();
    server.overrides.push(() => new Promise(() => undefined));
    factory.informer(Things);
    factory.start();
    const waiting = factory.waitForCacheSync(clock.deadline(1000, neverAborted())).catch((error: Error) => error.name);
    await clock.advance(2000);
    expect(await waiting).toBe("DeadlineExceeded");
  });

  it("machinery/5.3.8, core/3 leaves managedFields out, and freezes for tests", async () => {
    const { server, factory } = setup({ isFreezing: true });
    server.put("a", 1);
    const informer = factory.informer(Things);
    factory.start();
    await factory.waitForCacheSync(neverAborted());
    const thing = informer.lister.require("ns/a");
    expect(thing.metadata?.managedFields).toBeUndefined();
    expect(() => Object.assign(thing.spec ?? {}, { value: 2 })).toThrow(TypeError);
    await factory.shutdown();
  });

  it("machinery/5.3.8 takes managedFields off a copy of what it may not change", () => {
    const object = deepFreeze(stored(Things, { metadata: { name: "a", managedFields: [{ manager: "m" }] } }));
    const bare = deepFreeze(stored(Things, { metadata: { name: "a" } }));
    expect(stripManagedFields(object)).toEqual(bare);
    expect(stripManagedFields(bare)).toBe(bare);
  });

  it("reports an informer that failed for good", async () => {
    const crashes: unknown[] = [];
    const { clock, server, factory } = setup({ onCrash: (error) => crashes.push(error) });
    server.put("a", 1);
    const informer = factory.informer(Things);
    informer.addIndexers({
      bad: () => {
        throw new Error("bad index");
      },
    });
    factory.start();
    await clock.settle();
    expect(crashes).toEqual([new Error("bad index")]);
    expect(informer.isStopped).toBe(true);
  });
});
