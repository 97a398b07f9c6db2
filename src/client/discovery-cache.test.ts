// Which documents a discovery cache fetches again, and which it forgets.

import { describe, expect, it } from "vitest";
import { type HttpResponse, TransportError } from "#base/http.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { createDiscovery } from "#client/discovery.ts";
import { cachedDiscovery } from "#client/discovery-cache.ts";
import { jsonResponse, textResponse } from "#client/testing.ts";

const signal = neverAborted();
const groups = { groups: [{ name: "g", versions: [{ groupVersion: "g/v1", version: "v1" }] }] };
const things = { resources: [{ name: "things", kind: "Thing", namespaced: true, verbs: [] }] };

/** A server of one group in the legacy form. The group's version answers with `first` once, then normally. */
function setup(first: () => HttpResponse) {
  const asked: string[] = [];
  const transport = {
    async send({ path }: { readonly path: string }): Promise<HttpResponse> {
      asked.push(path);
      if (path === "/apis") return jsonResponse(groups);
      if (path !== "/apis/g/v1") return textResponse("", 404);
      return asked.filter((each) => each === path).length === 1 ? first() : jsonResponse(things);
    },
  };
  const client = createClient({ transport, clock: testClock(), userAgent: "test" });
  return { cache: cachedDiscovery(createDiscovery(client)), asked };
}
const fails = (failure: ConstructorParameters<typeof TransportError>[0]) => (): never => {
  throw new TransportError(failure, failure);
};

describe("machinery/4.3.3 a version whose discovery failed", () => {
  it.each([
    { what: "429", first: () => textResponse("", 429), isAgain: true },
    { what: "500", first: () => textResponse("", 500), isAgain: true },
    { what: "503", first: () => textResponse("", 503), isAgain: true },
    { what: "refused", first: fails("refused"), isAgain: true },
    { what: "403", first: () => textResponse("", 403), isAgain: false },
    { what: "404", first: () => textResponse("", 404), isAgain: false },
    { what: "a certificate", first: fails("tls"), isAgain: false },
    { what: "nothing in it", first: () => jsonResponse({ resources: [] }), isAgain: false },
  ])("with $what is asked for again: $isAgain, and kept then", async ({ first, isAgain }) => {
    const { cache, asked } = setup(first);
    await cache.groups(signal);
    const again = await cache.resourcesOf("g/v1", signal).then(
      ({ resources }) => resources.length === 1,
      () => false,
    );
    expect(again).toBe(isAgain);
    await cache.resourcesOf("g/v1", signal).catch(() => undefined);
    expect(asked.filter((path) => path === "/apis/g/v1")).toHaveLength(isAgain ? 2 : 1);
  });
});

describe("machinery/4.3.3 the cache", () => {
  it("is fresh once it is filled, asks nothing then, and everything after it was invalidated", async () => {
    const { cache, asked } = setup(() => jsonResponse(things));
    expect(cache.isFresh).toBe(false);
    await cache.groups(signal);
    expect((await cache.groups(signal)).lists).toBeUndefined();
    const { length } = asked;
    cache.invalidate();
    expect([cache.isFresh, asked.length]).toEqual([false, length]);
    await cache.groups(signal);
    expect([cache.isFresh, asked.length]).toEqual([true, 2 * length]);
  });

  it("does not keep a result that was invalidated while it was fetched", async () => {
    const { cache, asked } = setup(() => jsonResponse(things));
    const filling = cache.groups(signal);
    cache.invalidate();
    await filling;
    expect(cache.isFresh).toBe(false);
    const { length } = asked;
    await cache.groups(signal);
    expect(asked.length).toBe(2 * length);
  });
});
