// The process that the benchmarks over HTTPS measure: an API server behind HTTPS. It answers questions about itself on
// standard input, one line of JSON each.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { issuePki } from "#platform/certificates/cluster-pki.ts";
import { startHttpsServer } from "#platform/https-server/https-server.ts";
import {
  type Credentials,
  createPods,
  heapBytes,
  type MemoryFigures,
  PODS,
  prepare,
  type StreamFigures,
  send,
  startServer,
} from "./api-server-subject.ts";

const { server, transport, storage } = startServer();
await prepare(transport);
const pki = await issuePki(Date.now());
const https = await startHttpsServer({
  host: "127.0.0.1",
  port: 0,
  http2StreamsMax: 2_000,
  tls: {
    cert: pki.serving.certificatePem,
    key: pki.serving.keyPem,
    clientCas: [{ name: "client-ca", pem: pki.ca.certificatePem }],
  },
  handle: (request, signal) => server.handle(request, signal),
  onError: (error) => process.stderr.write(`${error}\n`),
});

function say(value: Credentials | MemoryFigures | StreamFigures | number | null): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

let created = 0;

async function stream(perSecond: number, seconds: number): Promise<StreamFigures> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const cpu = cpuSeconds();
  // CPU time per interval. On a busy machine most of the delay is the wait for a processor; CPU time leaves that out.
  const busyMs: number[] = [];
  let seen = cpu;
  const sampler = setInterval(() => {
    const now = cpuSeconds();
    busyMs.push((now - seen) * 1000);
    seen = now;
  }, 1);
  delay.enable();
  const startMs = performance.now();
  for (let i = 0; i < perSecond * seconds; i++) {
    const waitMs = startMs + (i * 1000) / perSecond - performance.now();
    // Yields to the event loop even when late, as the writes of clients do.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)));
    await createPods(transport, 1_000_000 + created++, 1);
  }
  delay.disable();
  clearInterval(sampler);
  busyMs.sort((a, b) => a - b);
  return {
    busyMsP99: busyMs[Math.floor(busyMs.length * 0.99)] ?? 0,
    delayMsP50: delay.percentile(50) / 1e6,
    delayMsP99: delay.percentile(99) / 1e6,
    cpuSeconds: cpuSeconds() - cpu,
    seconds: (performance.now() - startMs) / 1000,
  };
}

/** Allocators return the memory that a collection freed a little later. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000));

/** Creates pods, deletes them and compacts the store, so that the next call finds the same number of stored objects. */
async function createAndForget(count: number): Promise<number> {
  const before = cpuSeconds();
  await createPods(transport, 2_000_000, count);
  const seconds = cpuSeconds() - before;
  const value = { gracePeriodSeconds: 0 };
  for (let i = 0; i < count; i++) await send(transport, "DELETE", `${PODS}/pod-${2_000_000 + i}`, { value });
  storage.compact(storage.revision);
  return (seconds / count) * 1e6;
}

type Question =
  | { readonly what: "memory" | "cpu" | "forget" }
  | { readonly what: "fill" | "creates"; readonly count: number }
  | { readonly what: "stream"; readonly perSecond: number; readonly seconds: number };

const { certificatePem: cert, keyPem: key } = pki.admin;
say({ port: https.port, ca: pki.ca.certificatePem, cert, key });
for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line) as Question;
  switch (question.what) {
    case "memory": {
      const heap = heapBytes();
      await settled();
      say({ heap, rss: process.memoryUsage().rss });
      break;
    }
    case "fill":
      await createPods(transport, 0, question.count);
      say(null);
      break;
    case "creates":
      say(await createAndForget(question.count));
      break;
    case "forget":
      storage.compact(storage.revision);
      say(null);
      break;
    case "cpu":
      say(cpuSeconds());
      break;
    case "stream":
      say(await stream(question.perSecond, question.seconds));
      break;
  }
}
process.exit(0);
