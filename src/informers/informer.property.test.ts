// Random histories of a server with faults of its connections and answers. Handlers always hear a possible history, and
// once the faults end the store equals the server.

import fc from "fast-check";
import { expect, it } from "vitest";
import { objectKey } from "#api/object.ts";
import { type HttpResponse, TransportError } from "#base/http.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { EventModel } from "#informers/event-model.ts";
import { SharedIndexInformer } from "#informers/shared-informer.ts";
import { expired, failure, statusOf, type Thing, ThingServer, Things } from "#informers/testing.ts";
import { deepFreeze } from "#informers/transforms.ts";

const name = fc.constantFrom("a", "b", "c");
const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("put" as const), name, value: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("recreate" as const), name }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "end" as const,
        "cut" as const,
        "cutMidLine" as const,
        "stall" as const,
        "bookmark" as const,
        "compact" as const,
        "expire" as const,
        "remember" as const,
        "replay" as const,
        "replayEvent" as const,
        "refuse" as const,
        "busy" as const,
        "gone" as const,
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(0, 10, 1500, 20_000, 200_000) }),
  },
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** Lists that the server gave earlier and that a broken proxy may repeat. */
interface Past {
  list: HttpResponse | undefined;
  thing: Thing | undefined;
}

async function perform(server: ThingServer, past: Past, step: Action, wait: (ms: number) => Promise<void>) {
  switch (step.do) {
    case "put":
      past.thing = server.put(step.name, step.value);
      return;
    case "remove":
      return server.remove(step.name);
    case "recreate":
      server.remove(step.name);
      server.put(step.name, 0);
      return;
    case "end":
      return server.endStreams();
    case "cut":
      return server.cutStreams();
    case "cutMidLine":
      return server.cutStreams(true);
    case "stall":
      return server.stall();
    case "bookmark":
      return server.bookmark();
    case "compact":
      return server.compact();
    case "expire":
      return server.push("ERROR", statusOf(410, "Expired", "too old"));
    case "remember":
      past.list = server.list(new URLSearchParams());
      return;
    case "replay": {
      const { list } = past;
      if (list)
        server.overrides.push((request) =>
          request.query.includes("watch=true") ? failure(403, "Forbidden", "no") : list,
        );
      return;
    }
    case "replayEvent":
      return past.thing && server.push("MODIFIED", past.thing);
    case "refuse":
      server.overrides.push(() => {
        throw new TransportError("refused", "connection refused");
      });
      return;
    case "busy":
      server.overrides.push(() => failure(429, "TooManyRequests", "busy"));
      return;
    case "gone":
      server.overrides.push(() => expired("too old"));
      return;
    case "wait":
      return wait(step.ms);
  }
}

it.each([
  ["streamed lists", true, true],
  ["plain lists", false, true],
  ["plain lists applied piece by piece", false, false],
])("machinery/5.3.1 survives anything with %s", async (_name, usesWatchList, isAtomic) => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), fc.nat(), async (steps, seed) => {
      const clock = testClock();
      const server = new ThingServer();
      server.put("a", 0);
      const model = new EventModel<Thing>();
      const informer = new SharedIndexInformer<Thing>({
        name: "things",
        client: createClient({ transport: server, clock, userAgent: "test" }).resource(Things),
        clock,
        rng: seededRng(seed),
        gates: { WatchListClient: usesWatchList, AtomicFIFO: isAtomic, InOrderInformersBatchProcess: isAtomic },
        transform: deepFreeze,
      });
      informer.addHandler(model);
      const stop = new AbortController();
      const ended = informer.run(stop.signal);
      const past: Past = { list: undefined, thing: undefined };
      for (const step of steps) await perform(server, past, step, (ms) => clock.advance(ms));
      server.overrides.length = 0;
      await clock.advance(700_000);
      expect(model.faults).toEqual([]);
      const cached = new Map([...informer.store.values()].map((object) => [objectKey(object), version(object)]));
      const real = new Map([...server.objects.values()].map((object) => [objectKey(object), version(object)]));
      expect(cached).toEqual(real);
      expect([...model.objects.keys()].sort()).toEqual([...real.keys()].sort());
      stop.abort("done");
      await ended;
      expect(clock.pendingCount).toBe(0);
    }),
    { numRuns: 300 },
  );
});

function version(object: Thing): string {
  return `${object.metadata?.uid} ${object.metadata?.resourceVersion}`;
}
