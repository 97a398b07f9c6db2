// The cases by which client-go tests its stores, informers and reflectors, where behaviour here could differ. Left out:
// its queues (there are none here), races between threads, heaps and expiring caches that no controller uses, and
// run-time checks that TypeScript's types replace.

import { describe, expect, it } from "vitest";
import { stored } from "#api/testing.ts";
import { type FedStream, fedStream, streamResponse } from "#client/testing.ts";
import { InformerStateError } from "#informers/errors.ts";
import { IndexedStore } from "#informers/store.ts";
import { failure, statusOf, type Thing, Things } from "#informers/testing.ts";
import { recorder, stageInformer as setup } from "#informers/testing-stage.ts";

interface Labelled extends Thing {
  readonly values: readonly string[];
}
const labelled = (name: string, ...values: string[]): Labelled => ({ ...thing(name), values });
const thing = (name: string, value = 0): Thing =>
  stored(Things, { metadata: { namespace: "", name }, spec: { value } });
const names = (things: readonly Thing[]): string[] => things.map(({ metadata }) => metadata?.name ?? "").sort();

describe("machinery/8.r5 stores", () => {
  it("machinery/5.5.1 keep one object per key, and what a replacement brings", () => {
    const store = new IndexedStore<Thing>();
    const held = (): (number | undefined)[] => [...store.values()].map(({ spec }) => spec?.value);
    store.set("foo", thing("foo", 1));
    store.set("foo", thing("foo", 2));
    expect([store.get("foo")?.spec?.value, store.size]).toEqual([2, 1]);
    store.delete("foo");
    expect(store.get("foo")).toBeUndefined();
    for (const [i, name] of ["a", "c", "e"].entries()) store.set(name, thing(name, i));
    expect(held()).toEqual([0, 1, 2]);
    store.replace([thing("foo", 7), thing("bar", 8)]);
    expect([held(), [...store.keys()]]).toEqual([
      [7, 8],
      ["foo", "bar"],
    ]);
  });

  it("machinery/5.5.1 find an object under each of its values, and under no old one", () => {
    const store = new IndexedStore<Labelled>();
    store.addIndexers({ byUser: ({ values }) => values });
    const by = (user: string): string[] => names(store.byIndex("byUser", user));
    const set = (thing: Labelled): void => store.set(thing.metadata?.name ?? "", thing);
    set(labelled("one", "ernie", "bert"));
    set(labelled("two", "bert", "oscar"));
    set(labelled("tre", "ernie", "elmo"));
    expect(["ernie", "bert", "elmo", "oscar", "elmo1"].map(by)).toEqual([
      ["one", "tre"],
      ["one", "two"],
      ["tre"],
      ["two"],
      [],
    ]);
    store.delete("tre");
    expect([by("ernie"), by("elmo")]).toEqual([["one"], []]);
    set(labelled("two", "oscar"));
    expect(by("bert")).toEqual(["one"]);
    expect([...store.indexValues("byUser")].sort()).toEqual(["bert", "ernie", "oscar"]);
  });

  it.each<{ what: string; steps: readonly (readonly [string, string | undefined])[]; finds: Record<string, string[]> }>(
    [
      {
        what: "two of one value each",
        steps: [
          ["1", "foo"],
          ["2", "bar"],
        ],
        finds: { foo: ["1"], bar: ["2"] },
      },
      {
        what: "one that gains a value",
        steps: [
          ["1", "foo"],
          ["2", "bar"],
          ["2", "foo,bar"],
        ],
        finds: { foo: ["1", "2"], bar: ["2"] },
      },
      {
        what: "one that loses a value",
        steps: [
          ["1", "foo,bar"],
          ["2", "foo,bar"],
          ["3", "foo,bar,baz"],
          ["1", "foo"],
        ],
        finds: { foo: ["1", "2", "3"], bar: ["2", "3"], baz: ["3"] },
      },
      {
        what: "one that goes, with a value that nobody else has",
        steps: [
          ["2", "bar"],
          ["3", "foo,bar,baz"],
          ["3", undefined],
        ],
        finds: { bar: ["2"] },
      },
      {
        what: "one that goes and one that stays",
        steps: [
          ["retain", "x"],
          ["delete", "x"],
          ["delete", undefined],
        ],
        finds: { x: ["retain"] },
      },
    ],
  )("machinery/5.5.1 indexes: $what", ({ steps, finds }) => {
    const store = new IndexedStore<Labelled>();
    store.addIndexers({ values: ({ values }) => values });
    for (const [name, values] of steps) {
      if (values === undefined) store.delete(name);
      else store.set(name, labelled(name, ...values.split(",")));
    }
    const found = store.indexValues("values").map((value) => [value, [...store.keysByIndex("values", value)].sort()]);
    expect(Object.fromEntries(found)).toEqual(finds);
  });
});

describe("machinery/8.r5 relists", () => {
  for (const isAtomic of [true, false]) {
    const gates = { WatchListClient: false, AtomicFIFO: isAtomic, InOrderInformersBatchProcess: true };

    it(`machinery/5.3.5 tell deletions, then changes and additions; atomic: ${isAtomic}`, async () => {
      const { server, informer, clock, stop, heard } = setup({ gates });
      for (const name of ["pod-1", "pod-2", "pod-3"]) server.put(name, 1);
      void informer.run(stop.signal);
      await clock.settle();
      expect(heard()).toEqual(["initial pod-1=1", "initial pod-2=1", "initial pod-3=1"]);
      server.stall();
      server.put("pod-1", 2);
      server.put("pod-2", 2);
      server.remove("pod-3");
      server.put("pod-4", 1);
      server.compact();
      server.cutStreams();
      await clock.advance(5000);
      expect(heard()).toEqual(["gone pod-3=1", "update pod-1=1 pod-1=2", "update pod-2=1 pod-2=2", "add pod-4=1"]);
      server.stall();
      for (const name of ["pod-1", "pod-2", "pod-4"]) server.remove(name);
      server.compact();
      server.cutStreams();
      await clock.advance(10_000);
      expect(heard()).toEqual(["gone pod-1=2", "gone pod-2=2", "gone pod-4=1"]);
      expect(informer.store.size).toBe(0);
      stop.abort();
    });
  }

  it("machinery/5.2.9 follow an object that the server could not read any more and lost", async () => {
    const { server, informer, clock, stop, heard } = setup();
    server.put("foo-1", 1);
    server.put("foo", 1);
    void informer.run(stop.signal);
    await clock.settle();
    heard();
    server.stall();
    server.remove("foo");
    for (const open of server.streams) open.isStalled = false;
    const message = "failed to prepare current and previous objects: corrupt object has been deleted";
    server.push("ERROR", statusOf(500, "StoreReadError", message));
    await clock.advance(2000);
    expect(heard()).toEqual(["gone foo=1", "update foo-1=1 foo-1=1"]);
    expect(names([...informer.store.values()])).toEqual(["foo-1"]);
    stop.abort();
  });

  it("machinery/5.2.5, machinery/5.2.8 one failure after the other, and the cache is right in the end", async () => {
    const { server, informer, clock, stop } = setup({
      gates: { WatchListClient: false, AtomicFIFO: true, InOrderInformersBatchProcess: true },
    });
    const held = (): string[] => [...informer.store.values()].map(({ metadata }) => metadata?.name ?? "");
    void informer.run(stop.signal);
    await clock.settle();
    server.put("foo", 1);
    server.put("bar", 1);
    await clock.settle();
    expect(held()).toEqual(["foo", "bar"]);
    server.remove("foo");
    server.put("qux", 1);
    server.compact();
    const listError = () => failure(500, "InternalError", "a list error");
    const watchError = () => failure(400, "BadRequest", "a watch error");
    // The watch fails, and so does the list after it. The next list succeeds, and the watch after it fails again.
    server.overrides.push(watchError, listError, undefined, watchError);
    server.cutStreams();
    await clock.advance(30_000);
    server.put("baz", 1);
    await clock.settle();
    expect(held().sort()).toEqual(["bar", "baz", "qux"]);
    stop.abort();
  });
});

describe("machinery/8.r5 watches", () => {
  it("machinery/5.2.8 end after five to ten minutes, each at a random time", async () => {
    const { server, informer, clock, stop } = setup();
    const timeouts: number[] = [];
    const note = server.watch.bind(server);
    server.watch = (query, signal) => {
      timeouts.push(Number(query.get("timeoutSeconds")));
      return note(query, signal);
    };
    void informer.run(stop.signal);
    for (let i = 0; i < 40; i++) {
      await clock.advance(2000);
      server.endStreams();
    }
    expect(timeouts.length).toBeGreaterThan(30);
    expect([Math.min(...timeouts) >= 300, Math.max(...timeouts) < 600, new Set(timeouts).size > 20]).toEqual([
      true,
      true,
      true,
    ]);
    stop.abort();
  });

  it("machinery/5.2.8 are retried while the server is busy, without a new list", async () => {
    const { server, informer, clock, stop, asked } = setup({
      gates: { WatchListClient: false, AtomicFIFO: true, InOrderInformersBatchProcess: true },
    });
    server.overrides.push(undefined, ...Array(4).fill(() => failure(429, "TooManyRequests", "too many requests")));
    void informer.run(stop.signal);
    await clock.advance(60_000);
    const requests = asked();
    expect(requests.filter((query) => !query.includes("watch="))).toHaveLength(1);
    expect(requests.filter((query) => query.includes("watch="))).toHaveLength(5);
    stop.abort();
  });

  it("machinery/5.2.3 changes and deletions before the final bookmark are part of the first list", async () => {
    const { server, informer, clock, stop, heard } = setup();
    const event = (type: string, name: string, version: number, more: object = {}): string => {
      const metadata = { name, namespace: "ns", uid: name, resourceVersion: String(version), ...more };
      return `${JSON.stringify({ type, object: { kind: "Thing", metadata, spec: { value: version } } })}\n`;
    };
    const end = (isEnd: boolean) => ({ annotations: { "k8s.io/initial-events-end": String(isEnd) } });
    let stream: FedStream | undefined;
    server.overrides.push((_, signal) => {
      stream = fedStream(signal);
      return streamResponse(stream);
    });
    void informer.run(stop.signal);
    await clock.settle();
    stream?.push(event("ADDED", "p1", 1) + event("ADDED", "p2", 2) + event("MODIFIED", "p1", 3));
    stream?.push(event("DELETED", "p2", 4) + event("BOOKMARK", "", 4, end(false)));
    await clock.settle();
    expect([heard(), informer.hasSynced]).toEqual([[], false]);
    stream?.push(event("BOOKMARK", "", 5, end(true)) + event("ADDED", "p3", 6));
    await clock.settle();
    expect([heard(), informer.hasSynced]).toEqual([["initial p1=3", "add p3=6"], true]);
    expect(informer.lastSyncResourceVersion).toBe("6");
    stop.abort();
  });
});

describe("machinery/8.r5 handlers", () => {
  it("machinery/5.5.3 come and go, also twice, and hear nothing after they went", async () => {
    const { server, informer, clock, stop } = setup();
    const handler = recorder();
    const [first, second] = [informer.addHandler(handler), informer.addHandler(handler)];
    server.put("pod1", 1);
    void informer.run(stop.signal);
    await clock.settle();
    expect(handler.log).toEqual(["initial pod1=1", "initial pod1=1"]);
    first[Symbol.dispose]();
    server.put("pod2", 1);
    await clock.settle();
    expect(handler.log.slice(2)).toEqual(["add pod2=1"]);
    second[Symbol.dispose]();
    second[Symbol.dispose]();
    server.put("pod3", 1);
    await clock.settle();
    expect(handler.log).toHaveLength(3);
    stop.abort();
  });

  it("machinery/5.5.3 one that comes while the others are busy hears all that there is, once", async () => {
    const { server, informer, clock, stop } = setup();
    void informer.run(stop.signal);
    await clock.settle();
    server.put("pod1", 1);
    await clock.settle();
    const late = recorder();
    const registration = informer.addHandler(late);
    server.put("pod2", 1);
    await clock.settle();
    expect([late.log, registration.hasSynced]).toEqual([["initial pod1=1", "add pod2=1"], true]);
    stop.abort();
  });

  it("machinery/5.5.7 none can be added after the end, and removing one then does no harm", async () => {
    const { informer, clock, stop } = setup();
    const registration = informer.addHandler(recorder());
    expect(informer.isStopped).toBe(false);
    const ended = informer.run(stop.signal);
    await clock.settle();
    expect(informer.isStopped).toBe(false);
    stop.abort();
    await ended;
    expect(informer.isStopped).toBe(true);
    expect(() => informer.addHandler(recorder())).toThrow(InformerStateError);
    registration[Symbol.dispose]();
    expect(() => informer.setTransform((thing) => thing)).toThrow("already started");
  });

  it("machinery/5.3.8 see objects as they were transformed", async () => {
    const { server, informer, clock, stop, heard } = setup();
    informer.setTransform((thing) => ({
      ...thing,
      metadata: { ...thing.metadata, name: thing.metadata?.name?.toUpperCase() ?? "" },
    }));
    server.put("pod1", 1);
    server.put("pod2", 2);
    void informer.run(stop.signal);
    await clock.settle();
    expect(heard()).toEqual(["initial POD1=1", "initial POD2=2"]);
    expect(informer.lister.get("ns/POD1")).toBeDefined();
    stop.abort();
  });

  it("machinery/5.5.4 are each reminded at their own pace, or never", async () => {
    const { server, informer, clock, stop } = setup({ resyncPeriodMs: 1000 });
    const handlers = [0, 2000, 3000].map((resyncPeriodMs) => {
      const handler = recorder();
      informer.addHandler(handler, { resyncPeriodMs });
      return handler;
    });
    server.put("pod1", 1);
    server.put("pod2", 1);
    void informer.run(stop.signal);
    await clock.settle();
    const heardBy = (): number[] => handlers.map(({ log }) => log.splice(0).length);
    expect(heardBy()).toEqual([2, 2, 2]);
    await clock.advance(2000);
    expect(heardBy()).toEqual([0, 2, 0]);
    await clock.advance(1000);
    expect(heardBy()).toEqual([0, 0, 2]);
    stop.abort();
  });

  it("machinery/5.5.2 after a relist, one that is never reminded hears only of what changed", async () => {
    const { server, informer, clock, stop } = setup({ resyncPeriodMs: 1000 });
    const [never, often] = [recorder(), recorder()];
    informer.addHandler(never, { resyncPeriodMs: 0 });
    informer.addHandler(often, { resyncPeriodMs: 1000 });
    server.put("pod1", 1);
    server.put("pod2", 1);
    void informer.run(stop.signal);
    await clock.advance(1100);
    never.log.length = 0;
    often.log.length = 0;
    server.stall();
    server.put("pod3", 1);
    server.put("pod2", 2);
    server.compact();
    server.cutStreams();
    await clock.advance(850);
    const changed = ["update pod2=1 pod2=2", "add pod3=1"];
    await clock.advance(3000);
    expect(never.log).toEqual(changed);
    expect(often.log).toContain("update pod1=1 pod1=1");
    expect(often.log.filter((line) => changed.includes(line))).toEqual(changed);
    stop.abort();
  });
});
