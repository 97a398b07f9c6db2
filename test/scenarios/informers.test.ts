// Client and informers on the embedded API server under the virtual clock, with bytes and with in-process objects:
// caches end up equal to the server, whatever happens to the connections.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigMaps, Namespaces } from "#api/generated/resources/core-v1.ts";
import { type KubeObject, objectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import { createApiServer } from "#apiserver/create-api-server.ts";
import { bytesTransport, directTransport } from "#apiserver/in-process-transport.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import { type HttpBody, type HttpResponse, type Transport, TransportError } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { createDiscovery, preferredResources } from "#client/discovery.ts";
import { EventModel } from "#informers/event-model.ts";
import { createInformerFactory } from "#informers/factory.ts";
import { DEFAULT_GATES } from "#informers/shared-informer.ts";

const signal = neverAborted();
const namespace = "default";

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

type Way = "bytes" | "direct";

/** A transport whose open watches can be cut. */
class CuttableTransport implements Transport {
  readonly #inner: Transport;
  readonly #cuts = new Set<(error: Error) => void>();

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  cut(): void {
    for (const cut of this.#cuts) cut(new TransportError("reset", "connection reset by peer"));
    this.#cuts.clear();
  }

  async send(request: Parameters<Transport["send"]>[0], given: AbortSignal): Promise<HttpResponse> {
    const response = await this.#inner.send(request, given);
    return { ...response, body: this.#cuttable(response.body) };
  }

  #cuttable(body: HttpBody): HttpBody {
    if (body.kind === "stream") return { kind: "stream", chunks: this.#until(body.chunks) };
    if (body.kind === "events") return { kind: "events", batches: this.#until(body.batches) };
    return body;
  }

  async *#until<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => undefined);
    this.#cuts.add(broken.reject);
    const iterator = source[Symbol.asyncIterator]();
    try {
      for (;;) {
        const result = await Promise.race([iterator.next(), broken.promise]);
        if (result.done) return;
        yield result.value;
      }
    } finally {
      this.#cuts.delete(broken.reject);
      await iterator.return?.();
    }
  }
}

async function stage(way: Way, seed = 1) {
  const clock = testClock();
  const rng = seededRng(seed);
  const storage = new MemoryStorage({ clock });
  const server = createApiServer({ clock, rng: rng.fork("server"), log: noLog, metrics: noMetrics, storage });
  const peer = { user: { name: "admin", groups: ["system:masters"] } };
  const inner = way === "bytes" ? bytesTransport(server, { peer }) : directTransport(server, { peer });
  const transport = new CuttableTransport(inner);
  const client = createClient({ transport, clock, userAgent: "test", direct: way === "direct" });
  const maps = client.resource(ConfigMaps);
  await clock.settle();
  return { clock, client, maps, transport, rng, server };
}

describe.each<Way>(["bytes", "direct"])("embedded server by %s", (way) => {
  it("speaks all verbs", async () => {
    const { client, maps } = await stage(way);
    const created = await maps.create({ namespace, object: { metadata: { name: "a" }, data: { k: "v" } } }, signal);
    const updated = await maps.update({ object: { ...created, data: { k: "w" } } }, signal);
    const patched = await maps.patch({ namespace, name: "a", type: "merge", patch: { data: { x: "y" } } }, signal);
    expect(patched.data).toEqual({ k: "w", x: "y" });
    expect(updated.metadata?.uid).toBe(created.metadata?.uid);
    const object = { metadata: { name: "b" }, data: { a: "1" } };
    await maps.apply({ namespace, name: "b", object, fieldManager: "test" }, signal);
    const { items } = await maps.list({ namespace, limit: 1 }, signal);
    expect(items).toHaveLength(1);
    await maps.delete({ namespace, name: "a" }, signal);
    expect(isNotFound(await maps.get({ namespace, name: "a" }, signal).catch((error: unknown) => error))).toBe(true);
    await maps.deleteCollection({ namespace }, signal);
    expect((await client.metadata(Namespaces).get({ name: namespace }, signal)).kind).toBe("PartialObjectMetadata");
    const { lists, failure } = await preferredResources(createDiscovery(client), signal);
    expect([failure, lists.length > 15]).toEqual([undefined, true]);
  });

  const action = fc.oneof(
    fc.record({ do: fc.constantFrom("put", "remove", "recreate"), name: fc.constantFrom("a", "b", "c") }),
    fc.record({ do: fc.constant("cut") }),
    fc.record({ do: fc.constant("wait"), ms: fc.constantFrom(0, 2000, 90_000) }),
  );

  it.each([true, false])(
    "machinery/5.3.1 keeps caches equal to the server, streaming lists: %j",
    async (usesWatchList) => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { maxLength: 25 }), fc.nat(1000), async (steps, seed) => {
          const { clock, client, maps, transport, rng } = await stage(way, seed);
          const gates = { ...DEFAULT_GATES, WatchListClient: usesWatchList };
          const factory = createInformerFactory({ client, clock, rng: rng.fork("informers"), gates, isFreezing: true });
          const full = factory.informer(ConfigMaps, { namespace });
          const metadata = factory.metadataInformer(ConfigMaps);
          const model = new EventModel<Stored<ConfigMap>>();
          full.addHandler(model);
          factory.start();
          let written = 0;
          const put = async (name: string) => {
            const object = { metadata: { name }, data: { n: String(++written) } };
            const isThere = await maps.get({ namespace, name }, signal).catch(() => undefined);
            if (!isThere) return maps.create({ namespace, object }, signal);
            return maps.patch({ namespace, name, type: "merge", patch: { data: object.data } }, signal);
          };
          const remove = (name: string) => maps.delete({ namespace, name }, signal).catch(() => undefined);
          for (const step of steps) {
            if (step.do === "cut") transport.cut();
            if ("ms" in step) await clock.advance(step.ms);
            if (!("name" in step)) continue;
            if (step.do !== "put") await remove(step.name);
            if (step.do !== "remove") await put(step.name);
          }
          await clock.advance(120_000);
          expect(model.faults).toEqual([]);
          const { items } = await maps.list({ namespace }, signal);
          expect(versions(full.store.values())).toEqual(versions(items));
          expect(versions(metadata.lister.list(undefined, namespace))).toEqual(versions(items));
          expect(versions(model.objects.values())).toEqual(versions(items));
          await factory.shutdown();
        }),
        { numRuns: 40 },
      );
    },
  );

  it("tells the same story twice for one seed", async () => {
    const run = async (): Promise<string[]> => {
      const { clock, client, maps, transport, rng } = await stage(way, 7);
      const story: string[] = [];
      const factory = createInformerFactory({ client, clock, rng: rng.fork("informers") });
      const show = (object: ConfigMap) => `${clock.now()} ${object.metadata?.uid} ${object.metadata?.resourceVersion}`;
      factory.informer(ConfigMaps).addHandler({
        onAdd: (object) => story.push(`add ${show(object)}`),
        onUpdate: (_old, object) => story.push(`update ${show(object)}`),
        onDelete: (object) => story.push(`delete ${show(object)}`),
      });
      factory.start();
      for (let i = 0; i < 20; i++) {
        await maps.create({ namespace, object: { metadata: { generateName: "m-" } } }, signal);
        if (i % 5 === 4) transport.cut();
        await clock.advance(700);
      }
      await factory.shutdown();
      return story;
    };
    const first = await run();
    expect(first.length).toBeGreaterThanOrEqual(20);
    expect(await run()).toEqual(first);
  });
});

function versions(objects: Iterable<KubeObject>): string[] {
  return [...objects]
    .map((object) => `${objectKey(object)} ${object.metadata?.uid} ${object.metadata?.resourceVersion}`)
    .sort();
}
