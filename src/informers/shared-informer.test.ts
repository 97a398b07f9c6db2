// Handlers, resync and the life cycle of a shared informer.

import { describe, expect, it } from "vitest";
import { NetworkPolicies } from "#api/generated/resources/networking-v1.ts";
import { stored } from "#api/testing.ts";
import { TransportError } from "#base/http.ts";
import { type Logger, noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { countListeners, neverAborted, testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { HandlerError } from "#informers/errors.ts";
import { createInformerFactory } from "#informers/factory.ts";
import { filteringHandler } from "#informers/filtering-handler.ts";
import { statusOf, type Thing, ThingServer, Things } from "#informers/testing.ts";
import { recorder, stageInformer as setup } from "#informers/testing-stage.ts";

function thing(name: string, version: number, value: number): Thing {
  return stored(Things, { kind: "Thing", metadata: { name, resourceVersion: String(version) }, spec: { value } });
}

describe("handlers", () => {
  it("machinery/5.5.3 delivers the existing objects to a late handler before anything else", async () => {
    const { server, informer, stop, clock } = setup();
    server.put("a", 1);
    void informer.run(stop.signal);
    await clock.settle();
    const late = recorder();
    const registration = informer.addHandler(late);
    expect(late.log).toEqual([]);
    expect(registration.hasSynced).toBe(false);
    server.put("a", 2);
    await clock.settle();
    expect(late.log).toEqual(["initial a=1", "update a=1 a=2"]);
    expect(registration.hasSynced).toBe(true);
    registration[Symbol.dispose]();
    server.put("a", 3);
    await clock.settle();
    expect(late.log).toHaveLength(2);
    stop.abort();
  });

  it("machinery/5.5.3 delivers to a handler added during a delivery what it missed, then what follows", async () => {
    const { server, informer, stop, clock } = setup();
    const late = recorder();
    informer.addHandler({ onAdd: (thing) => thing.metadata?.name === "a" && informer.addHandler(late) });
    void informer.run(stop.signal);
    await clock.settle();
    const lines = [thing("a", 11, 1), thing("b", 12, 1), thing("a", 13, 2)].map((object) => ({
      type: "ADDED",
      object,
    }));
    for (const { stream } of server.streams) stream.push(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await clock.settle();
    expect(late.log).toEqual(["initial a=1", "initial b=1", "update a=1 a=2"]);
    stop.abort();
  });

  it("machinery/5.5.3 delivers nothing to a handler once another has removed it", async () => {
    const { server, informer, stop, clock } = setup();
    const second = recorder();
    informer.addHandler({ onAdd: ({ metadata }) => metadata?.name === "b" && registration[Symbol.dispose]() });
    const registration = informer.addHandler(second);
    server.put("a", 1);
    server.put("b", 2);
    server.put("c", 3);
    void informer.run(stop.signal);
    await clock.settle();
    expect(second.log).toEqual(["initial a=1"]);
    stop.abort();
  });

  it("machinery/5.5.5 is synced when the list is in, the handler when it has heard all of it", async () => {
    const { server, informer, stop, clock } = setup();
    const early = recorder();
    const registration = informer.addHandler(early);
    server.put("a", 1);
    expect(registration.hasSynced).toBe(false);
    void informer.run(stop.signal);
    await registration.synced(neverAborted());
    expect(early.log).toEqual(["initial a=1"]);
    expect(informer.hasSynced).toBe(true);
    await clock.settle();
    stop.abort();
  });

  it("machinery/5.3.7 counts an empty list as synced", async () => {
    const { informer, stop } = setup();
    void informer.run(stop.signal);
    await informer.synced(neverAborted());
    expect(informer.store.size).toBe(0);
    stop.abort();
  });

  it("machinery/5.2.16 lets every handler hear an event that one of them cannot take, then ends", async () => {
    const { server, informer, stop, clock } = setup();
    informer.addHandler({
      onAdd: () => {
        throw new Error("cannot");
      },
    });
    const other = recorder();
    informer.addHandler(other);
    server.put("a", 1);
    const ended = informer.run(stop.signal).catch((error: unknown) => error);
    await clock.settle();
    const error = await ended;
    expect(error).toBeInstanceOf(HandlerError);
    expect((error as HandlerError).cause).toEqual(new Error("cannot"));
    expect(other.log).toEqual(["initial a=1"]);
    expect(informer.isStopped).toBe(true);
    expect(clock.pendingCount).toBe(0);
  });

  it("machinery/5.5.7 runs once, and takes no handler after its end", async () => {
    const { informer, stop, clock } = setup();
    const ended = informer.run(stop.signal);
    await informer.run(stop.signal);
    await clock.settle();
    stop.abort();
    await ended;
    expect(() => informer.addHandler({})).toThrow("has stopped already");
  });

  it("machinery/5.5.8 turns updates that cross a filter into additions and deletions", async () => {
    const { server, informer, stop, clock } = setup();
    const handler = recorder();
    informer.addHandler(filteringHandler((thing) => (thing.spec?.value ?? 0) > 1, handler));
    server.put("a", 1);
    void informer.run(stop.signal);
    await clock.settle();
    for (const value of [2, 3, 1, 0]) {
      server.put("a", value);
      await clock.settle();
    }
    server.remove("a");
    server.put("b", 5);
    server.remove("b");
    await clock.settle();
    expect(handler.log).toEqual(["add a=2", "update a=2 a=3", "delete a=3", "add b=5", "delete b=5"]);
    stop.abort();
  });

  it("machinery/5.5.9 gives every handler and reader the same object", async () => {
    const { server, informer, stop, clock } = setup();
    const seen: Thing[] = [];
    informer.addHandler({ onAdd: (thing) => seen.push(thing) });
    informer.addHandler({ onAdd: (thing) => seen.push(thing) });
    server.put("a", 1);
    void informer.run(stop.signal);
    await clock.settle();
    expect(seen[0]).toBe(seen[1] as Thing);
    expect(informer.lister.get("ns/a")).toBe(seen[0]);
    stop.abort();
  });

  it("machinery/5.5.10 marks a deletion that only a relist revealed, with the last known state", async () => {
    const { server, informer, stop, clock } = setup();
    server.put("a", 1);
    server.put("b", 1);
    const handler = recorder();
    informer.addHandler(handler);
    void informer.run(stop.signal);
    await clock.advance(5000);
    handler.log.length = 0;
    server.remove("a");
    await clock.settle();
    server.stall();
    server.remove("b");
    server.compact();
    server.cutStreams();
    await clock.advance(5000);
    expect(handler.log).toEqual(["delete a=1", "gone b=1"]);
    stop.abort();
  });

  it("machinery/5.3.10 logs handlers that delay many events", async () => {
    const lines: string[] = [];
    const log: Logger = { ...noLog, info: (message) => lines.push(message), v: () => noLog };
    const { server, informer, stop, clock } = setup({ log });
    for (let i = 0; i < 20; i++) server.put(`t${i}`, i);
    informer.addHandler({ onAdd: () => clock.stall(60) });
    void informer.run(stop.signal);
    await clock.settle();
    expect(lines).toEqual(["RealFIFO PopBatch Process"]);
    stop.abort();
  });

  it("machinery/6.r10 machinery/6.r11 counts under a name, with the resource as upstream guesses it", async () => {
    const clock = testClock();
    const metrics = new MetricRegistry({ version: "1.36.4" });
    const client = createClient({ transport: new ThingServer(), clock, userAgent: "test" });
    const factory = createInformerFactory({ client, clock, rng: seededRng(1), metrics: { metrics, name: "kcm" } });
    factory.informer(NetworkPolicies);
    const text = () => metrics.render();
    const labels = 'group="networking.k8s.io",name="kcm",resource="networkpolicys",version="v1"';
    expect(text()).toContain(`informer_queued_items{${labels}} 0`);
    factory.start();
    await factory.waitForCacheSync(neverAborted());
    await factory.shutdown();
    expect(text()).not.toContain(`informer_queued_items{${labels}}`);
  });

  it("leaves no listener on a long-lived signal after many streams", async () => {
    const { server, informer, stop, clock } = setup();
    const listeners = countListeners(stop.signal);
    const ended = informer.run(stop.signal);
    await clock.settle();
    const before = listeners();
    for (let i = 0; i < 20; i++) {
      await clock.advance(2000);
      server.endStreams();
    }
    await clock.settle();
    expect(listeners()).toBe(before);
    stop.abort();
    await ended;
  });
});

describe("resync", () => {
  it("machinery/5.2.14 machinery/5.3.6 updates every object for the handlers that are due, without a request", async () => {
    const { server, informer, stop, clock } = setup({ resyncPeriodMs: 60_000 });
    const often = recorder();
    const never = recorder();
    informer.addHandler(often);
    server.put("a", 1);
    void informer.run(stop.signal);
    await clock.settle();
    informer.addHandler(never, { resyncPeriodMs: 120_000 });
    await clock.advance(61_000);
    expect(often.log).toEqual(["initial a=1", "update a=1 a=1"]);
    expect(never.log).toEqual(["initial a=1"]);
    await clock.advance(60_000);
    expect(never.log).toEqual(["initial a=1", "update a=1 a=1"]);
    expect(server.requests).toHaveLength(1);
    stop.abort();
  });

  it("machinery/5.2.14 does not resync while no server can be followed, nor after its end", async () => {
    const { server, informer, stop, clock } = setup({ resyncPeriodMs: 60_000 });
    const handler = recorder();
    informer.addHandler(handler);
    server.put("a", 1);
    const ended = informer.run(stop.signal);
    await clock.settle();
    const refused = (): never => {
      throw new TransportError("refused", "connection refused");
    };
    server.overrides.push(...Array(200).fill(refused));
    server.push("ERROR", statusOf(410, "Expired", "too old"));
    await clock.advance(150_000);
    expect(handler.log).toEqual(["initial a=1"]);
    server.overrides.length = 0;
    await clock.advance(60_000);
    expect(handler.log).toContain("update a=1 a=1");
    stop.abort();
    await ended;
    expect(clock.pendingCount).toBe(0);
  });

  it("machinery/5.5.2 repeats unchanged objects after a relist to all until the first check, then to those due", async () => {
    const { server, informer, stop, clock } = setup({ resyncPeriodMs: 60_000 });
    const due = recorder();
    const notDue = recorder();
    informer.addHandler(due);
    informer.addHandler(notDue, { resyncPeriodMs: 3_600_000 });
    server.put("a", 1);
    void informer.run(stop.signal);
    await clock.settle();
    server.push("ERROR", statusOf(410, "Expired", "too old"));
    await clock.advance(1600);
    expect(notDue.log).toEqual(["initial a=1", "update a=1 a=1"]);
    await clock.advance(61_000);
    server.push("ERROR", statusOf(410, "Expired", "too old"));
    await clock.advance(3200);
    expect(notDue.log).toHaveLength(2);
    expect(due.log).toHaveLength(4);
    stop.abort();
  });

  it("machinery/5.5.4 raises short periods, and lowers its own only before the start", async () => {
    const { server, informer, stop, clock } = setup({ resyncPeriodMs: 60_000 });
    const eager = recorder();
    informer.addHandler(eager, { resyncPeriodMs: 10 });
    server.put("a", 1);
    void informer.run(stop.signal);
    await clock.settle();
    const late = recorder();
    informer.addHandler(late, { resyncPeriodMs: 500 });
    await clock.advance(3500);
    expect(eager.log).toEqual(["initial a=1", "update a=1 a=1", "update a=1 a=1", "update a=1 a=1"]);
    expect(late.log).toEqual(eager.log);
    stop.abort();
  });

  it("core/3 never resyncs a handler whose period is none", async () => {
    const { server, informer, stop, clock } = setup({ resyncPeriodMs: 60_000 });
    const [usual, never] = [recorder(), recorder()];
    informer.addHandler(usual);
    informer.addHandler(never, { resyncPeriodMs: 0 });
    server.put("a", 1);
    void informer.run(stop.signal);
    await clock.advance(600_000);
    expect(usual.log.length).toBeGreaterThan(5);
    expect(never.log).toEqual(["initial a=1"]);
    stop.abort();
  });

  it("machinery/5.5.4 never resyncs an informer without a period", async () => {
    const { server, informer, stop, clock } = setup();
    const handler = recorder();
    server.put("a", 1);
    void informer.run(stop.signal);
    await clock.settle();
    informer.addHandler(handler, { resyncPeriodMs: 5000 });
    await clock.advance(100_000);
    expect(handler.log).toEqual(["initial a=1"]);
    stop.abort();
  });
});
