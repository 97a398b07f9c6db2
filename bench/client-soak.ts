// Checks that the HTTP client keeps no memory or sockets of finished exchanges: whole and long answers; watches that
// are left, aborted, cut and reset; silent, malformed and refusing servers; failed handshakes; new certificates. After
// each round of exchanges the garbage is collected and the remaining objects and sockets are printed. Fails if the last
// rounds have more live objects than the first rounds after the warm-up, or many more open sockets.
//   bun bench/client-soak.ts [--rounds=12] [--exchanges=20000]

import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { type HttpRequest, type HttpResponse, TransportError } from "#base/http.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { clientCertificate, newAuthority, serverCertificate } from "#platform/http-client/http-client.testing.ts";
import { createHttpClient, type HttpClient } from "#platform/http-client/http-client.ts";

const WORKERS = 32;
/** Rounds until caches, pools and compiled code have their final size. */
const WARM_ROUNDS = 3;
/** The normal variation of the count of live objects. */
const OBJECTS_SLACK = 500;
/** Connections that two clients may keep. */
const IDLE_MAX = 50;

function option(name: string, otherwise: number): number {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? otherwise : Number(given.slice(name.length + 3));
}

const authority = newAuthority("authority");
const serving = serverCertificate(authority);
const identity = { cert: serving.certificatePem, key: serving.keyPem, ca: authority.certificatePem };
const script = new URL("./client-soak-server.ts", import.meta.url).pathname;
const server = spawn(process.execPath, [script, JSON.stringify(identity)], { stdio: ["pipe", "pipe", "inherit"] });
const [firstLine] = await new Promise<string[]>((resolve) => {
  createInterface(server.stdout).once("line", (line) => resolve([line]));
});
const [tlsPort, tcpPort] = JSON.parse(firstLine as string) as [number, number];

const pairs = ["alice", "bob"].map((name) => {
  const { certificatePem, keyPem } = clientCertificate(authority, name);
  return { cert: certificatePem, key: keyPem };
});
const base = { baseUrl: `https://127.0.0.1:${tlsPort}`, ca: authority.certificatePem };
const clients = {
  tls: await createHttpClient({ ...base, ...pairs[0] }),
  plain: await createHttpClient({ baseUrl: `http://127.0.0.1:${tcpPort}` }),
  wary: await createHttpClient({ ...base, ca: newAuthority("stranger").certificatePem }),
  refused: await createHttpClient({ baseUrl: "https://127.0.0.1:1" }),
};

const forever = new AbortController().signal;
const body = { kind: "bytes", bytes: new Uint8Array(2048) } as const;
const get = (path: string): HttpRequest => ({ method: "GET", path, query: "", headers: {} });
const whole = (path: string): HttpRequest => ({ ...get(path), whole: true });
const post = (path: string): HttpRequest => ({ ...whole(path), method: "POST", body });

async function drain({ body: answer }: HttpResponse): Promise<void> {
  if (answer.kind === "stream") for await (const _ of answer.chunks);
}

/** Reads one event of a watch, then closes it. */
async function leave(client: HttpClient): Promise<void> {
  const { body: answer } = await client.send(get("/watch"), forever);
  if (answer.kind === "stream") for await (const _ of answer.chunks) break;
}

/** Aborts after an event, or after one turn of the event loop if none comes. */
async function abort(client: HttpClient, path: string): Promise<void> {
  const controller = new AbortController();
  const sending = client.send(get(path), controller.signal);
  if (path === "/silent") setImmediate(() => controller.abort());
  const { body: answer } = await sending;
  if (answer.kind !== "stream") return;
  for await (const _ of answer.chunks) controller.abort();
}

type Deed = (client: HttpClient) => Promise<unknown>;
const deeds: Readonly<Record<string, Deed>> = {
  get: (client) => client.send(whole("/whole"), forever),
  post: (client) => client.send(post("/whole"), forever),
  chunked: (client) => client.send(get("/chunked"), forever).then(drain),
  long: (client) => client.send(get("/long"), forever).then(drain),
  failed: (client) => client.send(post("/failed"), forever),
  close: (client) => client.send(whole("/close"), forever),
  leave,
  abortWatch: (client) => abort(client, "/watch"),
  abortSilent: (client) => abort(client, "/silent"),
  cut: (client) => client.send(get("/cut"), forever).then(drain),
  reset: (client) => client.send(get("/reset"), forever).then(drain),
  nonsense: (client) => client.send(get("/nonsense"), forever).then(drain),
  gone: (client) => client.send(post("/gone"), forever),
};

const rng = seededRng(1);
const names = Object.keys(deeds);
const outcomes: Record<string, number> = {};

async function one(count: number): Promise<void> {
  const draw = rng.below(100);
  const name = names[rng.below(names.length)] as string;
  let what = draw < 70 ? `tls ${name}` : `plain ${name}`;
  if (draw === 99) what = "stranger";
  if (draw === 98) what = "refused";
  if (count % 5_000 === 4_999) clients.tls.update({ ...base, ...pairs[(count / 5_000) & 1] });
  try {
    if (what === "stranger") await clients.wary.send(get("/"), forever);
    else if (what === "refused") await clients.refused.send(get("/"), forever);
    else await deeds[name]?.(draw < 70 ? clients.tls : clients.plain);
  } catch (error) {
    what += `: ${error instanceof TransportError ? error.failure : (error as Error).name}`;
    if (what.startsWith("refused") && !what.endsWith("refused")) what += ` ${(error as Error).message}`;
  }
  outcomes[what] = (outcomes[what] ?? 0) + 1;
}

interface Jsc {
  fullGC(): void;
  heapStats(): { readonly heapSize: number; readonly objectCount: number };
}

interface Remains {
  readonly objects: number;
  readonly heapMb: number;
  readonly rssMb: number;
  readonly descriptors: number;
}

async function remains(): Promise<Remains> {
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { gc } = globalThis as { gc?: () => void };
  const jsc = "bun:jsc";
  const bun = process.versions.bun === undefined ? undefined : ((await import(jsc)) as Jsc);
  for (let i = 0; i < 3; i++) {
    bun ? bun.fullGC() : gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { rss, heapUsed } = process.memoryUsage();
  const stats = bun?.heapStats();
  return {
    objects: stats?.objectCount ?? 0,
    heapMb: (stats?.heapSize ?? heapUsed) / 2 ** 20,
    rssMb: rss / 2 ** 20,
    descriptors: readdirSync("/proc/self/fd").length,
  };
}

const [rounds, exchanges] = [option("rounds", 12), option("exchanges", 20_000)];
const seen: Remains[] = [];
let done = 0;
process.stdout.write("  exchanges   CPU µs each   live objects   heap MB   RSS MB   descriptors\n");
for (let round = 0; round < rounds; round++) {
  const before = process.cpuUsage();
  const end = done + exchanges;
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      while (done < end) await one(done++);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  const now = await remains();
  seen.push(now);
  const cells = [done, ((user + system) / exchanges).toFixed(0), now.objects, now.heapMb.toFixed(1)];
  cells.push(now.rssMb.toFixed(1), now.descriptors);
  process.stdout.write(`${cells.map((cell, i) => String(cell).padStart([11, 14, 15, 10, 9, 14][i] ?? 9)).join("")}\n`);
}
server.stdin.end();
process.stdout.write(`${JSON.stringify(outcomes, null, 1)}\n`);
const [first, last] = [seen[WARM_ROUNDS - 1] as Remains, seen.at(-1) as Remains];
const isGood = last.objects - first.objects < OBJECTS_SLACK && last.descriptors - first.descriptors < IDLE_MAX;
process.stdout.write(isGood ? "nothing is kept\n" : "SOMETHING IS KEPT\n");
process.exit(isGood ? 0 : 1);
