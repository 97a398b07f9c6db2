// The law that informers live by: an initial list and all events after it, put together, are always
// what a fresh list gives, whatever is written, selected and compacted meanwhile.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "#base/clock.ts";
import type { Storage } from "./storage/storage.ts";
import { startTestServer, type TestClient, type TestWatch } from "./testing.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

type Step =
  | { readonly op: "put" | "delete" | "label" | "finalize"; readonly name: number; readonly value: number }
  | { readonly op: "follow"; readonly selector: number; readonly pages: boolean }
  | { readonly op: "compact" };

const name = fc.integer({ min: 0, max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constantFrom("put", "delete", "label", "finalize"),
      name,
      value: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("follow"), selector: fc.integer({ min: 0, max: 3 }), pages: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("compact") }) },
) as fc.Arbitrary<Step>;

const SELECTORS = ["", "labelSelector=group%3D1", "labelSelector=group", "fieldSelector=metadata.name%3Dm3"];

interface Follower {
  readonly selector: string;
  readonly listed: Map<string, string>;
  readonly watch: TestWatch;
}

export function describeConvergence(title: string, openStorage: (clock: Clock) => Storage): void {
  describe(title, () => {
    for (const transport of ["bytes", "direct"] as const) {
      it(`initial list and events equal a fresh list over ${transport}`, async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
            const server = startTestServer({ openStorage });
            const client = server[transport];
            const followers: Follower[] = [];
            for (const each of steps) await take(each, client, server.storage, followers);
            await server.clock.advance(0);
            for (const follower of followers) await compare(follower, client);
            server.server.close();
            server.storage.close();
          }),
          { numRuns: 40 },
        );
      });
    }
  });
}

async function take(each: Step, client: TestClient, storage: Storage, followers: Follower[]): Promise<void> {
  switch (each.op) {
    case "put": {
      const body = { metadata: { name: `m${each.name}` }, data: { v: String(each.value) } };
      const { status } = await client.post(MAPS, body);
      if (status === 409) await client.patch(`${MAPS}/m${each.name}`, "merge", { data: body.data });
      return;
    }
    case "delete":
      await client.delete(`${MAPS}/m${each.name}`);
      return;
    case "label":
      await client.patch(`${MAPS}/m${each.name}`, "merge", {
        metadata: { labels: { group: each.value === 0 ? null : String(each.value) } },
      });
      return;
    case "finalize":
      await client.patch(`${MAPS}/m${each.name}`, "merge", {
        metadata: { finalizers: each.value === 0 ? null : ["example.com/hold"] },
      });
      return;
    case "compact":
      storage.compact(storage.revision);
      return;
    case "follow":
      followers.push(await follow(client, SELECTORS[each.selector] ?? "", each.pages));
  }
}

async function follow(client: TestClient, selector: string, pages: boolean): Promise<Follower> {
  const listed = new Map<string, string>();
  let more = "";
  let version = "";
  do {
    const { body } = await client.get(
      `${MAPS}?${selector}${pages ? "&limit=2" : ""}${more === "" ? "" : `&continue=${more}`}`,
    );
    for (const { metadata } of body.items) listed.set(metadata.name, metadata.resourceVersion);
    version = body.metadata.resourceVersion;
    more = body.metadata.continue ?? "";
  } while (more !== "");
  return { selector, listed, watch: await client.watch(`${MAPS}?watch=1&resourceVersion=${version}&${selector}`) };
}

async function compare({ selector, listed, watch }: Follower, client: TestClient): Promise<void> {
  const state = new Map(listed);
  for (const { type, object } of watch.events) {
    const { name, resourceVersion } = object.metadata;
    expect(["ADDED", "MODIFIED", "DELETED"]).toContain(type);
    // Nothing is added twice, changed or deleted unseen.
    expect(state.has(name)).toBe(type !== "ADDED");
    if (type === "DELETED") state.delete(name);
    else state.set(name, resourceVersion);
  }
  const { body } = await client.get(`${MAPS}?${selector}`);
  const fresh = new Map(
    body.items.map(({ metadata }: { metadata: { name: string; resourceVersion: string } }) => [
      metadata.name,
      metadata.resourceVersion,
    ]),
  );
  expect(Object.fromEntries(state)).toEqual(Object.fromEntries(fresh));
}
