// The embedded API server: creates with managed fields and admission, gets, patches and lists; the cost of a write by
// the number of stored objects; and watches under a stream of events. Measured over the direct transport in one
// process, and over HTTPS between two. Name parts to run only those:
//   bun bench/apiserver.ts [throughput] [costByStored] [watches] [https] [httpsWatches]

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Transport } from "#base/http.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import {
  createPods,
  HEADERS,
  PODS,
  prepare,
  report,
  type ServerProcess,
  send,
  startServer,
  startServerProcess,
} from "./api-server-subject.ts";
import { type HttpsWatches, openHttp1Watches, openHttp2Watches } from "./https-watches.ts";

const never = new AbortController().signal;
const ROUNDS = 5;

async function perSecond(count: number, run: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await run();
  return Math.round((count / (performance.now() - startMs)) * 1000);
}

/** The best of several rounds, with its CPU time: on a busy machine the other rounds measure the other processes. */
async function best(
  name: string,
  count: number,
  run: (round: number) => Promise<void>,
  cpuSeconds: () => number | Promise<number> = ownCpuSeconds,
): Promise<void> {
  let [rate, cpuMicros] = [0, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await cpuSeconds();
    rate = Math.max(rate, await perSecond(count, () => run(round)));
    cpuMicros = Math.min(cpuMicros, (((await cpuSeconds()) - before) / count) * 1e6);
  }
  report(name, `${rate.toLocaleString("en").padStart(8)}   ${cpuMicros.toFixed(1)} us CPU each`);
}

function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function throughput(): Promise<void> {
  const { server, transport } = startServer();
  await prepare(transport);
  await createPods(transport, 0, 10_000);
  const creates = 5_000;
  await best("creates/s (3 KB pods, managed fields, admission)", creates, (round) =>
    createPods(transport, 10_000 + round * creates, creates),
  );
  const templateOf = (index: number): string => `web-${index}`;
  await best("creates/s, each pod of a template of its own", creates, (round) =>
    createPods(transport, 100_000 + round * creates, creates, { templateOf }),
  );
  const gets = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await send(transport, "GET", `${PODS}/pod-${10_000 + (i % 10_000)}`);
  };
  await gets(20_000);
  await best("gets/s", 50_000, () => gets(50_000));
  const patches = async (from: number, count: number): Promise<void> => {
    for (let i = from; i < from + count; i++) {
      const body = { kind: "object", value: { metadata: { labels: { round: String(i) } } } } as const;
      const headers = { ...HEADERS, "content-type": "application/merge-patch+json" };
      const path = `${PODS}/pod-${10_000 + (i % 5_000)}`;
      await transport.send({ method: "PATCH", path, query: "", headers, direct: true, body }, never);
    }
  };
  await patches(0, 2_000);
  await best("merge patches/s", 3_000, (round) => patches(2_000 + round * 3_000, 3_000));
  const lists = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await send(transport, "GET", PODS, { query: "limit=500" });
  };
  await best("lists of 500 of 60,000 pods/s", 100, () => lists(100));
  server.close();
}

const STORED = [1_000, 100_000] as const;
const WARM_ROUNDS = 4;
const MEASURED_ROUNDS = 10;
const CREATES_PER_ROUND = 5_000;

/**
 * Measures each number of stored objects in a separate process, in turns, so that the state of the machine affects both
 * alike. The result is the median CPU time of all rounds, including the collector's threads. Each round deletes the
 * pods that it creates.
 */
async function costByStored(): Promise<void> {
  const servers = await Promise.all(STORED.map(() => startServerProcess()));
  for (const [i, server] of servers.entries()) await server.fill(STORED[i] ?? 0);
  const micros = servers.map((): number[] => []);
  for (let round = 0; round < WARM_ROUNDS + MEASURED_ROUNDS; round++) {
    for (const [i, server] of servers.entries()) {
      const each = await server.createMicros(CREATES_PER_ROUND);
      if (round >= WARM_ROUNDS) micros[i]?.push(each);
    }
  }
  for (const server of servers) server.stop();
  const [few = 0, many = 0] = micros.map(median);
  report("CPU of a create with 1,000 stored, us", `${few.toFixed(1)} (${range(micros[0])})`);
  report("CPU of a create with 100,000 stored, us", `${many.toFixed(1)} (${range(micros[1])})`);
  report("cost with 100,000 against 1,000", `${((many / few - 1) * 100).toFixed(1)} %`);
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const range = (values: readonly number[] = []): string =>
  `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;

const WATCHES = 1_000;
const EVENTS_PER_SECOND = 100;
const SECONDS = 10;

async function watches(): Promise<void> {
  const { server, transport } = startServer();
  await prepare(transport);
  await createPods(transport, 0, 100);
  await stream(transport);
  server.close();
}

async function stream(transport: Transport): Promise<void> {
  const controller = new AbortController();
  let received = 0;
  for (let i = 0; i < WATCHES; i++) {
    const { body } = await transport.send(
      { method: "GET", path: PODS, query: "watch=1&resourceVersion=0", headers: HEADERS, direct: true },
      controller.signal,
    );
    if (body.kind !== "events") throw new Error("not a watch");
    void (async () => {
      for await (const batch of body.batches) received += batch.length;
    })();
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  const initial = received;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  for (let i = 0; i < EVENTS_PER_SECOND * SECONDS; i++) {
    await createPods(transport, 1_000 + i, 1);
    await new Promise((resolve) => setTimeout(resolve, 1000 / EVENTS_PER_SECOND));
  }
  delay.disable();
  const used = process.cpuUsage(cpu);
  report(`events delivered to ${WATCHES} watches`, received - initial);
  report(
    "event-loop delay p50 / p99, ms",
    `${(delay.percentile(50) / 1e6).toFixed(1)} / ${(delay.percentile(99) / 1e6).toFixed(1)}`,
  );
  report("CPU seconds", ((used.user + used.system) / 1e6).toFixed(2));
  controller.abort();
}

/** Until then the code is still being compiled. */
const HTTPS_WARM_UP = 10_000;

/** Clients at once: as many as a controller has workers, enough to keep the server busy. */
const PARALLEL = 16;

async function https(): Promise<void> {
  const server = await startServerProcess();
  const client = await createHttpClient({ ...server, baseUrl: `https://127.0.0.1:${server.port}` });
  const over = { direct: false, parallel: PARALLEL };
  const creates = 2_000;
  await createPods(client, 0, HTTPS_WARM_UP, over);
  const run = (round: number): Promise<void> => createPods(client, 100_000 + round * creates, creates, over);
  await best("creates/s over HTTPS, 16 at once", creates, run, () => server.cpuSeconds());
  const gets = async (): Promise<void> => {
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < 5_000) await send(client, "GET", `${PODS}/pod-${next++ % creates}`, { direct: false });
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
  };
  await gets();
  await best("gets/s over HTTPS, 16 at once", 5_000, gets, () => server.cpuSeconds());
  client.close();
  server.stop();
}

async function httpsWatches(): Promise<void> {
  await streamOver("HTTP/1.1", openHttp1Watches);
  await streamOver("h2, 10 connections", (server, count) => openHttp2Watches(server, count, 10));
}

async function streamOver(
  protocol: string,
  open: (server: ServerProcess, count: number) => Promise<HttpsWatches>,
): Promise<void> {
  const server = await startServerProcess();
  const { events } = await open(server, WATCHES);
  const figures = await server.stream(EVENTS_PER_SECOND, SECONDS);
  const atEnd = events();
  const expected = WATCHES * EVENTS_PER_SECOND * SECONDS;
  report(
    `over ${protocol}: events delivered to ${WATCHES} watches`,
    `${atEnd.toLocaleString("en")} of ${expected.toLocaleString("en")} in ${figures.seconds.toFixed(1)} s`,
  );
  report(
    "  event-loop delay p50 / p99, ms",
    `${figures.delayMsP50.toFixed(1)} / ${figures.delayMsP99.toFixed(1)}; ${figures.cpuSeconds.toFixed(2)} CPU seconds`,
  );
  report("  CPU time of one turn p99, ms", figures.busyMsP99.toFixed(1));
  server.stop();
}

const all: Readonly<Record<string, () => Promise<void>>> = { throughput, costByStored, watches, https, httpsWatches };
const chosen = process.argv.slice(2);
for (const [name, run] of Object.entries(all)) {
  if (chosen.length === 0 || chosen.includes(name)) await run();
}
process.exit(0);
