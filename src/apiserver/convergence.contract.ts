// The guarantee for informers: an initial list plus all later events equals a fresh list, whatever is written, selected
// and compacted meanwhile, and however late the events are read. A watcher that fell behind resumes from its last
// version, or lists again if that version is too old.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "#base/clock.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Storage } from "./storage/storage.ts";
import { startTestServer, type TestClient, type TestServer, TestWatch } from "./testing.ts";

const NAMESPACES = ["default", "other"];
const SCOPES = ["namespaces/default/", "namespaces/other/", ""];
const SELECTORS = [
  "",
  "labelSelector=group%3D1",
  "labelSelector=group",
  "labelSelector=group%20notin%20(1,2)",
  "fieldSelector=metadata.name%3Dm3",
  "fieldSelector=metadata.namespace%3Dother",
];
const STARTS = ["list", "pages", "initial events"] as const;

/** A small limit, so that slow watchers fall behind. */
const WATCHER_EVENTS_MAX = 6;

interface Write {
  readonly op: "put" | "delete" | "label" | "finalize";
  readonly space: number;
  readonly name: number;
  readonly value: number;
}

type Step =
  | Write
  | {
      readonly op: "follow";
      readonly scope: number;
      readonly selector: number;
      readonly start: (typeof STARTS)[number];
      readonly isSlow: boolean;
    }
  | { readonly op: "clear"; readonly space: number; readonly value: number }
  | { readonly op: "check"; readonly follower: number }
  | { readonly op: "compact"; readonly back: number };

const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      op: fc.constantFrom("put", "delete", "label", "finalize"),
      space: upTo(NAMESPACES.length - 1),
      name: upTo(4),
      value: upTo(3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant("follow"),
      scope: upTo(SCOPES.length - 1),
      selector: upTo(SELECTORS.length - 1),
      start: fc.constantFrom(...STARTS),
      isSlow: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("clear"), space: upTo(NAMESPACES.length - 1), value: upTo(3) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("check"), follower: upTo(5) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("compact"), back: upTo(10) }) },
) as fc.Arbitrary<Step>;

export function describeConvergence(title: string, openStorage: (clock: Clock) => Storage): void {
  describe(title, () => {
    for (const transport of ["bytes", "direct"] as const) {
      it(`initial list and events equal a fresh list over ${transport}`, async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120, size: "max" }), async (steps) => {
            const server = startTestServer({ openStorage, limits: { watcherEventsMax: WATCHER_EVENTS_MAX } });
            const client = server[transport];
            await client.post("/api/v1/namespaces", { metadata: { name: "other" } });
            const followers: Follower[] = [];
            for (const each of steps) await take(each, server, client, followers);
            for (const follower of followers) await follower.check();
            server.server.close();
            server.storage.close();
          }),
          { numRuns: 60 },
        );
      });
    }
  });
}

async function take(each: Step, server: TestServer, client: TestClient, followers: Follower[]): Promise<void> {
  switch (each.op) {
    case "follow":
      followers.push(await Follower.start(server, client, each));
      return;
    case "check":
      await followers[each.follower]?.check();
      return;
    case "compact":
      server.storage.compact(server.storage.revision - each.back);
      return;
    case "clear": {
      const selector = `labelSelector=group%3D${each.value}`;
      await client.delete(`/api/v1/namespaces/${NAMESPACES[each.space]}/configmaps?${selector}`);
      return;
    }
    default:
      await write(each, client);
  }
}

async function write(each: Write, client: TestClient): Promise<void> {
  const maps = `/api/v1/namespaces/${NAMESPACES[each.space]}/configmaps`;
  const one = `${maps}/m${each.name}`;
  switch (each.op) {
    case "put": {
      const body = { metadata: { name: `m${each.name}` }, data: { v: String(each.value) } };
      const { status } = await client.post(maps, body);
      if (status === 409) await client.patch(one, "merge", { data: body.data });
      return;
    }
    case "delete":
      await client.delete(one);
      return;
    case "label":
      await client.patch(one, "merge", {
        metadata: { labels: { group: each.value === 0 ? null : String(each.value) } },
      });
      return;
    case "finalize":
      await client.patch(one, "merge", {
        metadata: { finalizers: each.value === 0 ? null : ["example.com/hold"] },
      });
  }
}

type Seen = Readonly<Record<string, unknown>> & {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion: string };
};

const keyOf = ({ metadata }: Seen): string => `${metadata.namespace}/${metadata.name}`;
/** Items of lists have no kind and apiVersion. */
const contentOf = ({ kind, apiVersion, ...content }: Seen): unknown => content;

/** A client that maintains the state from events. A slow one reads only when it has to. */
class Follower {
  readonly #server: TestServer;
  readonly #client: TestClient;
  readonly #path: string;
  readonly #query: string;
  readonly #start: (typeof STARTS)[number];
  readonly #isSlow: boolean;
  #state = new Map<string, Seen>();
  #version = "";
  /** Set until the initial events end; only then are missing objects known to be deleted. */
  #fresh: Map<string, Seen> | undefined;
  #response: HttpResponse | undefined;
  #controller = new AbortController();
  #watch: TestWatch | undefined;
  #eventsTaken = 0;

  private constructor(server: TestServer, client: TestClient, each: Step & { readonly op: "follow" }) {
    this.#server = server;
    this.#client = client;
    this.#path = `/api/v1/${SCOPES[each.scope]}configmaps`;
    this.#query = SELECTORS[each.selector] ?? "";
    this.#start = each.start;
    this.#isSlow = each.isSlow;
  }

  static async start(
    server: TestServer,
    client: TestClient,
    each: Step & { readonly op: "follow" },
  ): Promise<Follower> {
    const follower = new Follower(server, client, each);
    await follower.#begin();
    return follower;
  }

  /** Reads all pending events and compares the state. */
  async check(): Promise<void> {
    await this.#catchUp();
    const { body } = await this.#client.get(`${this.#path}?${this.#query}`);
    const fresh = (body.items as Seen[]).map((item) => [keyOf(item), contentOf(item)] as const);
    const known = [...this.#state].map(([key, item]) => [key, contentOf(item)] as const);
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(fresh));
    if (!this.#isSlow) return;
    this.#leave();
    await this.#open(`resourceVersion=${this.#version}`);
  }

  async #begin(): Promise<void> {
    if (this.#start === "initial events") {
      this.#fresh = new Map();
      await this.#open("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
      return;
    }
    this.#state = new Map();
    const limit = this.#start === "pages" ? "&limit=2" : "";
    let more = "";
    do {
      const { body } = await this.#client.get(`${this.#path}?${this.#query}${limit}${more && `&continue=${more}`}`);
      for (const item of body.items as Seen[]) this.#state.set(keyOf(item), item);
      this.#version = body.metadata.resourceVersion;
      more = body.metadata.continue ?? "";
    } while (more !== "");
    await this.#open(`resourceVersion=${this.#version}`);
  }

  async #open(start: string): Promise<void> {
    this.#controller = new AbortController();
    const target = `${this.#path}?watch=1&${start}&${this.#query}`;
    this.#response = await this.#client.send("GET", target, undefined, {}, this.#controller.signal);
    this.#eventsTaken = 0;
    this.#watch = this.#isSlow ? undefined : new TestWatch(this.#response, this.#controller);
  }

  #leave(): void {
    this.#controller.abort();
    this.#watch = undefined;
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      if (this.#response === undefined) return;
      this.#watch ??= new TestWatch(this.#response, this.#controller);
      await this.#server.clock.advance(0);
      const isTooOld = this.#takeEvents(this.#watch);
      // A watch that has not ended may have more events.
      if (!this.#watch.isEnded) return;
      if (isTooOld) await this.#begin();
      else if (this.#fresh !== undefined) await this.#begin();
      else await this.#open(`resourceVersion=${this.#version}`);
    }
  }

  /** True if the resource version is too old to resume from. */
  #takeEvents({ events }: TestWatch): boolean {
    for (const { type, object } of events.slice(this.#eventsTaken)) {
      this.#eventsTaken++;
      if (type === "ERROR") {
        expect(object.code).toBe(410);
        return true;
      }
      this.#version = object.metadata.resourceVersion;
      if (type === "BOOKMARK") this.#endInitialEvents(object);
      else this.#take(type, object as Seen);
    }
    return false;
  }

  #endInitialEvents({ metadata }: { readonly metadata: { readonly annotations?: object } }): void {
    if (metadata.annotations === undefined || this.#fresh === undefined) return;
    this.#state = this.#fresh;
    this.#fresh = undefined;
  }

  #take(type: string, object: Seen): void {
    const state = this.#fresh ?? this.#state;
    const key = keyOf(object);
    expect(["ADDED", "MODIFIED", "DELETED"]).toContain(type);
    // No object is added twice, and only known objects are modified or deleted.
    expect([key, type, state.has(key)]).toEqual([key, type, type !== "ADDED"]);
    if (type === "DELETED") state.delete(key);
    else state.set(key, object);
  }
}
