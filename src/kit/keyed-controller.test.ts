import { expect, it } from "vitest";
import { whenAborted } from "#base/abort.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { type Logger, noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { bareHost, testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { createInformerFactory } from "#informers/factory.ts";
import { ThingServer, Things } from "#informers/testing.ts";
import type { ControllerContext } from "./controller.ts";
import { keyedController } from "./keyed-controller.ts";
import { done } from "./worker-loop.ts";

const contract = { watches: [Things], reads: [], writes: [] };

function setup() {
  const clock = testClock();
  const rng = seededRng("keyed");
  const server = new ThingServer();
  const clients: string[] = [];
  const client = createClient({ transport: server, clock, userAgent: "test" });
  const informers = createInformerFactory({ client, clock, rng, log: noLog });
  const logged: string[] = [];
  const loggers: string[] = [];
  const log: Logger = {
    ...noLog,
    info: (message) => void logged.push(message),
    named: (name) => {
      loggers.push(name);
      return log;
    },
    v: () => log,
  };
  const context = {
    clock,
    rng,
    log,
    metrics: noMetrics,
    gates: new FeatureGates({ gates: {} }, "1.36"),
    host: bareHost,
    informers,
    client: async (identity: string) => {
      clients.push(identity);
      return client;
    },
  } as unknown as ControllerContext;
  return { clock, server, clients, informers, logged, loggers, context };
}

it("wires what a controller asks for, under the identity of its name, and waits for all caches first", async () => {
  const { clock, server, clients, informers, logged, loggers, context } = setup();
  const steps: string[] = [];
  const descriptor = keyedController<{ readonly workers: number }>({
    name: "serviceaccount-controller",
    contract,
    build(parts, { workers }) {
      const things = parts.informer(Things);
      const queue = parts.queue({ name: "things" });
      parts.enqueue(things, queue, { on: ["add"] });
      parts.loop(async (signal) => {
        steps.push("loop");
        await whenAborted(signal);
        steps.push("loop ends");
      });
      parts.work({
        queue,
        workers,
        sync: async (key) => {
          steps.push(`${parts.identity} syncs ${key}`);
          return done;
        },
      });
      queue.addAfter("late", 1_000, "of the test");
    },
  });
  expect(descriptor).toMatchObject({ name: "serviceaccount-controller", contract });
  const stop = new AbortController();
  const controller = await descriptor.build(context, { workers: 2 }, stop.signal);
  expect(clients).toEqual(["service-account-controller"]);
  expect(loggers).toEqual(["serviceaccount-controller"]);

  const ended = controller?.run(stop.signal);
  server.put("a", 1);
  await clock.settle();
  expect([steps, logged]).toEqual([[], ["Starting controller", "Waiting for caches to sync"]]);
  informers.start();
  await clock.advance(100);
  expect(steps).toEqual(["loop", "service-account-controller syncs ns/a"]);
  stop.abort();
  await clock.settle();
  await ended;
  await clock.advance(60_000);
  expect(steps.slice(2)).toEqual(["loop ends"]);
  await informers.shutdown();
});

it("is not built when its options switch it off, and says why", async () => {
  const { clients, logged, loggers, context } = setup();
  const descriptor = keyedController<boolean>({
    name: "serviceaccount-token-controller",
    contract,
    whyOff: (isOff) => (isOff ? "there is no key" : undefined),
    build: () => undefined,
  });
  const { signal } = new AbortController();
  expect(await descriptor.build(context, true, signal)).toBeUndefined();
  expect([clients, logged, loggers]).toEqual([[], ["there is no key"], ["serviceaccount-token-controller"]]);
  expect(await descriptor.build(context, false, signal)).toBeDefined();
});
