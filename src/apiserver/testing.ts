// For tests: a server on a virtual clock, and a small client over a transport.

import { parseExactJson } from "#api/json.ts";
import type { KubeObject } from "#api/object.ts";
import type { Clock } from "#base/clock.ts";
import type { HttpHeaders, HttpResponse, Transport } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { hostTurn, neverAborted } from "#base/testing.ts";
import { VirtualClock } from "#base/virtual-clock.ts";
import { type ApiServer, type ApiServerOptions, createApiServer } from "./create-api-server.ts";
import { bytesTransport, directTransport } from "./in-process-transport.ts";
import { MemoryStorage } from "./storage/memory-storage.ts";
import type { Storage } from "./storage/storage.ts";

export interface TestServer {
  readonly clock: VirtualClock;
  readonly storage: Storage;
  readonly server: ApiServer;
  /** Authenticated as a member of system:masters. */
  readonly bytes: TestClient;
  readonly direct: TestClient;
}

export interface TestServerOptions extends Partial<Omit<ApiServerOptions, "storage" | "clock">> {
  openStorage?(clock: Clock): Storage;
  /** When the clock considers the program at rest; absent: one turn of the host's event loop. */
  turn?(): Promise<void>;
}

/** A way to reach a server: the contract suites run over each. */
export interface TestSubject {
  readonly name: string;
  start(options?: TestServerOptions): Promise<TestServer & { readonly client: TestClient }>;
}

export const inProcess = (name: "bytes" | "direct"): TestSubject => ({
  name,
  start: async (options) => {
    const server = startTestServer(options);
    return { ...server, client: server[name] };
  },
});

export function startTestServer({ openStorage, turn = hostTurn, ...options }: TestServerOptions = {}): TestServer {
  const clock = new VirtualClock({ turn });
  const storage = openStorage?.(clock) ?? new MemoryStorage({ clock, freezesLists: true });
  const server = createApiServer({ clock, rng: seededRng(1), log: noLog, metrics: noMetrics, storage, ...options });
  const peer = { user: { name: "admin", groups: ["system:masters"] } };
  return {
    clock,
    storage,
    server,
    bytes: testClient(bytesTransport(server, { peer })),
    direct: testClient(directTransport(server, { peer })),
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Parsed JSON, or text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface TestClient {
  request(method: string, path: string, body?: unknown, headers?: HttpHeaders, signal?: AbortSignal): Promise<Answer>;
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: HttpHeaders,
    signal?: AbortSignal,
  ): Promise<HttpResponse>;
  get(path: string, headers?: HttpHeaders): Promise<Answer>;
  post(path: string, body: unknown, headers?: HttpHeaders): Promise<Answer>;
  put(path: string, body: unknown, headers?: HttpHeaders): Promise<Answer>;
  patch(path: string, type: "json" | "merge" | "strategic" | "apply", body: unknown): Promise<Answer>;
  delete(path: string, body?: unknown): Promise<Answer>;
  watch(path: string): Promise<TestWatch>;
}

const PATCH_TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

export function testClient(transport: Transport): TestClient {
  const send: TestClient["send"] = (method, target, body, headers = {}, signal = neverAborted()) => {
    const question = target.indexOf("?");
    return transport.send(
      {
        method,
        path: question < 0 ? target : target.slice(0, question),
        query: question < 0 ? "" : target.slice(question + 1),
        headers: { "user-agent": "test/1", ...headers },
        ...(body === undefined ? {} : { body: bodyOf(body) }),
      },
      signal,
    );
  };
  const request: TestClient["request"] = async (...args) => readAnswer(await send(...args));
  return {
    send,
    request,
    get: (path, headers) => request("GET", path, undefined, headers),
    post: (path, body, headers) => request("POST", path, body, headers),
    put: (path, body, headers) => request("PUT", path, body, headers),
    patch: (path, type, body) => request("PATCH", path, body, { "content-type": PATCH_TYPES[type] }),
    delete: (path, body) => request("DELETE", path, body),
    watch: async (path) => {
      const controller = new AbortController();
      return new TestWatch(await send("GET", path, undefined, {}, controller.signal), controller);
    },
  };
}

function bodyOf(body: unknown): { kind: "object"; value: unknown } | { kind: "bytes"; bytes: Uint8Array } {
  if (body instanceof Uint8Array) return { kind: "bytes", bytes: body };
  if (typeof body === "string") return { kind: "bytes", bytes: new TextEncoder().encode(body) };
  return { kind: "object", value: body };
}

async function readAnswer({ status, headers, body }: HttpResponse): Promise<Answer> {
  if (body.kind === "object") return { status, headers, body: body.value };
  if (body.kind !== "bytes") return { status, headers, body: undefined };
  const text = new TextDecoder().decode(body.bytes);
  const isJson = text !== "" && String(headers["content-type"]).startsWith("application/json");
  return { status, headers, body: isJson ? parseExactJson(text) : text };
}

export interface SeenEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every shape
  readonly object: any;
}

/** Collects the events of a watch. */
export class TestWatch {
  readonly status: number;
  readonly events: SeenEvent[] = [];
  isEnded = false;
  /** Why the watch was cut off. */
  failure: unknown;
  readonly #controller: AbortController;

  constructor(response: HttpResponse, controller: AbortController) {
    this.status = response.status;
    this.#controller = controller;
    void this.#read(response)
      .catch((error: unknown) => (this.failure = error))
      .finally(() => (this.isEnded = true));
  }

  /** "ADDED a", "MODIFIED a", "DELETED a", "BOOKMARK". */
  get summary(): string[] {
    return this.events.map(({ type, object }) =>
      type === "BOOKMARK" ? type : `${type} ${object.metadata?.name ?? object.reason}`,
    );
  }

  /** The client disconnects. */
  leave(): void {
    this.#controller.abort();
  }

  async #read({ body }: HttpResponse): Promise<void> {
    if (body.kind === "events") {
      for await (const batch of body.batches) this.events.push(...(batch as SeenEvent[]));
    } else if (body.kind === "stream") {
      const decoder = new TextDecoder();
      let rest = "";
      for await (const chunk of body.chunks) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.events.push(parseExactJson(line) as SeenEvent);
      }
    }
  }
}

export const configMap = (
  name: string,
  data: Record<string, string> = {},
  labels?: Record<string, string>,
): KubeObject =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...(labels && { labels }) }, data }) as KubeObject;
