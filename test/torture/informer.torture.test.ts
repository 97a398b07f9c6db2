// Informers on the real API server through a proxy that cuts, stalls and replays old answers, while 10,000 config maps
// change. Every event is checked against the writes, and at the end the caches equal a fresh LIST.

import { afterAll, beforeAll, expect, it } from "vitest";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import { type KubeObject, objectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import { seededRng } from "#base/seeded-rng.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { EventModel } from "#informers/event-model.ts";
import { createInformerFactory } from "#informers/factory.ts";
import type { InformerFactory, SharedInformer } from "#informers/informer.ts";
import { DEFAULT_GATES } from "#informers/shared-informer.ts";
import { loadClientConfig } from "#platform/kubeconfig/kubeconfig.ts";
import { type ConfiguredTransport, createTransport } from "#platform/kubeconfig/kubeconfig-transport.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { type ControlPlane, startControlPlane } from "#test/real/control-plane.ts";
import type { FaultProxy } from "#test/real/fault-proxy.ts";
import type { Memory } from "#test/real/faults.ts";
import { describeReal, eventually } from "#test/real/suite.ts";
import { type ConfigMap, ConfigMapWriter, eventText, inParallel } from "./config-map-writer.ts";
import { hurriedClock } from "./hurried-clock.ts";

const OBJECTS = 10_000;
const RECREATIONS = 200;
/** 150 s of silence become 15 s. */
const HURRY = 10;
const WATCHES = { path: /configmaps$/, isWatch: true };
const LISTS = { path: /configmaps$/, isWatch: false, method: "GET" };
const WRITERS = 16;
const namespace = "default";
const patienceMs = 300_000;

/** One informer under torture, with all events that it delivered. */
class Subject {
  readonly model = new EventModel<Stored<ConfigMap>>();
  readonly heard: string[] = [];
  readonly factory: InformerFactory;
  readonly informer: SharedInformer<Stored<ConfigMap>>;

  constructor(client: Client, clock: Clock, usesWatchList: boolean) {
    const gates = { ...DEFAULT_GATES, WatchListClient: usesWatchList };
    this.factory = createInformerFactory({ client, clock, rng: seededRng(String(usesWatchList)), gates });
    this.informer = this.factory.informer(ConfigMaps, { namespace });
    this.informer.addHandler(this.model);
    this.informer.addHandler({
      onAdd: (object) => this.heard.push(eventText("add", object)),
      onUpdate: (old, object) => {
        const isRepeat = old.metadata?.resourceVersion === object.metadata?.resourceVersion;
        if (!isRepeat) this.heard.push(eventText("update", object));
      },
      onDelete: (object) => this.heard.push(`delete ${object.metadata?.uid}`),
    });
  }
}

describeReal("informer torture", () => {
  let plane: ControlPlane;
  let proxy: FaultProxy;
  let writer: ConfigMapWriter;
  let subjects: readonly [streaming: Subject, listing: Subject];
  let oldList: Memory;
  const transports: ConfiguredTransport[] = [];
  const stop = new AbortController();
  const rng = seededRng("torture");
  const bytes = { heapBefore: 0, heapAfter: 0, rssBefore: 0, rssAfter: 0 };

  async function clientOf(server: string, clock: Clock): Promise<Client> {
    const path = plane.kubeconfigFor({ user: "tortured", groups: ["system:masters"] }, server);
    const transport = await createTransport(await loadClientConfig({ path }), { clock });
    transports.push(transport);
    return createClient({ transport, clock, userAgent: "torture" });
  }

  beforeAll(async () => {
    plane = await startControlPlane();
    proxy = await plane.startFaultProxy();
    oldList = proxy.remember(LISTS);
    writer = new ConfigMapWriter(await clientOf(plane.server, systemClock), namespace, stop.signal);
    const clock = hurriedClock(HURRY);
    subjects = [
      new Subject(await clientOf(proxy.server, clock), clock, true),
      new Subject(await clientOf(proxy.server, clock), clock, false),
    ];
  });

  afterAll(async () => {
    await Promise.all(subjects.map(({ factory }) => factory.shutdown()));
    stop.abort();
    for (const transport of transports) transport.close();
    await plane.stop();
  });

  const someNames = (count: number): string[] => rng.shuffle([...writer.alive.keys()]).slice(0, count);

  /** Waits until every cache has caught up with a write made now. */
  async function barrier(): Promise<void> {
    const { metadata } = writer.alive.has("barrier") ? await writer.update("barrier") : await writer.create("barrier");
    for (const { informer } of subjects) {
      await eventually(() => {
        const seen = informer.store.get(`${namespace}/barrier`)?.metadata?.resourceVersion;
        return seen === metadata?.resourceVersion || undefined;
      }, patienceMs);
    }
  }

  /** The caches equal a fresh list, and the delivered events add up to it. */
  async function expectEqualToServer(): Promise<void> {
    const real = versions(await writer.list());
    for (const { informer, model } of subjects) {
      expect(model.faults).toEqual([]);
      expect(versions(informer.store.values())).toEqual(real);
      expect([...model.objects.keys()].sort()).toEqual([...real.keys()]);
    }
  }

  /** Without a relist no event may be missing or repeated. */
  function expectEachHeardOnce(): void {
    const written = [...writer.happened].sort();
    for (const { heard } of subjects) expect([...heard].sort()).toEqual(written);
  }

  function forget(): void {
    writer.forget();
    for (const { heard } of subjects) heard.length = 0;
  }

  it("fills both caches with 10,000 objects", async () => {
    const names = Array.from({ length: OBJECTS }, (_, i) => `map-${i}`);
    await inParallel(names, WRITERS, (name) => writer.create(name));
    for (const { factory } of subjects) factory.start();
    await Promise.all(subjects.map(({ factory }) => factory.waitForCacheSync(stop.signal)));
    await barrier();
    await expectEqualToServer();
    forget();
    [bytes.heapBefore, bytes.rssBefore] = await bytesInUse();
  });

  it("loses and repeats nothing while streams are cut in the middle of lines", async () => {
    forget();
    for (const kind of ["cut", "reset"] as const) {
      const breaks = proxy.inject(WATCHES, { kind, afterLines: 40 });
      proxy.strike(WATCHES, kind);
      await inParallel(someNames(2000), WRITERS, (name) => writer.update(name));
      await eventually(() => breaks.hits > 5 || undefined, patienceMs);
      breaks.remove();
    }
    await barrier();
    expectEachHeardOnce();
    await expectEqualToServer();
  });

  it(`tells ${RECREATIONS} deletions and recreations under one name as just that`, async () => {
    await writer.create("phoenix");
    await barrier();
    forget();
    const cuts = proxy.inject(WATCHES, { kind: "cut", afterLines: 7 });
    proxy.strike(WATCHES, "cut");
    for (let i = 0; i < RECREATIONS; i++) {
      await writer.remove("phoenix");
      await writer.create("phoenix");
    }
    cuts.remove();
    await barrier();
    expectEachHeardOnce();
    for (const { heard } of subjects) {
      const count = (type: string): number => heard.filter((event) => event.startsWith(type)).length;
      expect([count("add"), count("delete"), count("update")]).toEqual([RECREATIONS, RECREATIONS, 1]);
    }
  });

  it("detects silent streams", async () => {
    forget();
    const stall = proxy.inject(WATCHES, { kind: "stall", afterLines: 5 }, subjects.length);
    proxy.strike(WATCHES, "cut");
    await inParallel(someNames(500), WRITERS, (name) => writer.update(name));
    await eventually(() => stall.hits === subjects.length || undefined, patienceMs);
    await barrier();
    stall.remove();
    expectEachHeardOnce();
    await expectEqualToServer();
  });

  it("catches up after a compaction and a restart while cut off, even if an old list is replayed first", async () => {
    await barrier();
    await proxy.down();
    const [gone, others] = [someNames(500), someNames(2000)];
    const [reborn, changed] = [others.slice(0, 200), others.slice(200)].map((names) =>
      names.filter((name) => !gone.includes(name)),
    ) as [string[], string[]];
    await inParallel(gone, WRITERS, (name) => writer.remove(name));
    await inParallel(reborn, WRITERS, async (name) => {
      await writer.remove(name);
      await writer.create(name);
    });
    await inParallel(changed, WRITERS, (name) => writer.update(name));
    const late = Array.from({ length: 500 }, (_, i) => `late-${i}`);
    await inParallel(late, WRITERS, (name) => writer.create(name));
    await plane.compactEtcd();
    await plane.restartApiServer();
    expect(oldList.answers.size).toBe(1);
    const replay = proxy.inject(LISTS, { kind: "replay", memory: oldList }, 1);
    forget();
    await proxy.up();
    await barrier();
    expect(replay.hits).toBe(1);
    await expectEqualToServer();
    // After a relist: each deletion and each recreation is reported once.
    for (const { heard } of subjects) {
      const deletions = heard.filter((event) => event.startsWith("delete"));
      expect(deletions.length).toBe(gone.length + reborn.length);
      expect(new Set(deletions).size).toBe(deletions.length);
    }
  });

  it("uses no more memory than before", async () => {
    forget();
    oldList.answers.clear();
    [bytes.heapAfter, bytes.rssAfter] = await bytesInUse();
    process.stdout.write(`torture: ${JSON.stringify(bytes)}\n`);
    expect(bytes.heapAfter).toBeLessThan(bytes.heapBefore * 1.2);
    expect(bytes.rssAfter).toBeLessThan(bytes.rssBefore * 1.2);
  });
});

function versions(objects: Iterable<KubeObject>): Map<string, string> {
  const texts = [...objects].map((object): [string, string] => [
    objectKey(object),
    `${object.metadata?.uid} ${object.metadata?.resourceVersion}`,
  ]);
  return new Map(texts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface BunHost {
  gc(force: boolean): void;
}

/** Heap and resident bytes after full collections. */
async function bytesInUse(): Promise<[heap: number, rss: number]> {
  const bun = Reflect.get(globalThis, "Bun") as BunHost;
  const { heapStats } = (await import("bun:jsc" as string)) as { heapStats(): { heapSize: number } };
  for (let i = 0; i < 5; i++) {
    bun.gc(true);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return [heapStats().heapSize, process.memoryUsage().rss];
}
