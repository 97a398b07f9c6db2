// The memory that one idle watch costs the API server: in process, and over HTTPS as the growth of its process.
//   bun bench/watch-memory.ts

import type { HttpResponse } from "#base/http.ts";
import { HEADERS, heapBytes, PODS, prepare, report, startServer, startServerProcess } from "./api-server-subject.ts";
import { type HttpsWatches, openHttp1Watches, openHttp2Watches } from "./https-watches.ts";

const WATCHES = 2_000;
/** Watches that are opened before the measurement, because the first ones also cost the process one-time memory. */
const WARM = 500;
const IN_PROCESS_BYTES_MAX = 20 * 1024;
const HTTPS_BYTES_MAX = 40 * 1024;
const SETTLE_MS = 1_000;

let isGood = true;

function judge(name: string, bytes: number, limit: number): void {
  const isOver = bytes > limit;
  isGood &&= !isOver;
  report(name, `${(bytes / 1024).toFixed(1)} KB (limit ${limit / 1024})${isOver ? "  OVER THE LIMIT" : ""}`);
}

/** Reads to the end and keeps nothing. */
async function drain({ body }: HttpResponse): Promise<void> {
  if (body.kind === "events") for await (const _ of body.batches);
  if (body.kind === "stream") for await (const _ of body.chunks);
}

async function inProcess(direct: boolean): Promise<void> {
  const { server, transport } = startServer();
  await prepare(transport);
  const signal = new AbortController().signal;
  const query = "watch=1&allowWatchBookmarks=true";
  const open = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const request = { method: "GET", path: PODS, query, headers: HEADERS };
      const peer = { user: { name: "bench", groups: ["system:masters"] } };
      const answer = await (direct ? transport.send(request, signal) : server.handle({ ...request, peer }, signal));
      void drain(answer);
    }
  };
  await open(WARM);
  const before = heapBytes();
  await open(WATCHES);
  judge(
    `idle watch in process, ${direct ? "direct" : "bytes"}`,
    (heapBytes() - before) / WATCHES,
    IN_PROCESS_BYTES_MAX,
  );
  server.close();
}

async function overHttps(
  name: string,
  open: (server: Awaited<ReturnType<typeof startServerProcess>>, count: number) => Promise<HttpsWatches>,
): Promise<void> {
  const server = await startServerProcess();
  await open(server, WARM);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const before = await server.memory();
  await open(server, WATCHES);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const after = await server.memory();
  judge(`idle watch over ${name}, resident`, (after.rss - before.rss) / WATCHES, HTTPS_BYTES_MAX);
  report(`  of that in the heap`, `${((after.heap - before.heap) / WATCHES / 1024).toFixed(1)} KB`);
  server.stop();
}

await inProcess(true);
await inProcess(false);
await overHttps("HTTP/1.1", openHttp1Watches);
await overHttps("h2, 10 connections", (server, count) => openHttp2Watches(server, count, 10));
process.exit(isGood ? 0 : 1);
