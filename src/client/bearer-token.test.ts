// Tokens: fetched once, refreshed in time, dropped on 401.

import { describe, expect, it } from "vitest";
import { neverAborted, testClock } from "#base/testing.ts";
import { cachedTokenSource, withBearerToken } from "#client/bearer-token.ts";
import { jsonResponse, scriptedTransport, textResponse } from "#client/testing.ts";

const signal = neverAborted();
const request = { method: "GET", path: "/", query: "", headers: {} };

function setup(fetches: (() => Promise<string>)[], status = 200) {
  const clock = testClock();
  let count = 0;
  const source = cachedTokenSource({
    clock,
    fetch: async () => {
      const value = await (fetches[Math.min(count++, fetches.length - 1)] as () => Promise<string>)();
      return { value, refreshAtMs: clock.monotonicMs() + 60_000 };
    },
  });
  const transport = scriptedTransport(() => (status === 200 ? jsonResponse({}) : textResponse("no", status)));
  return { clock, source, transport, wrapped: withBearerToken(transport, source, clock), fetched: () => count };
}

describe("bearer tokens", () => {
  it("machinery/4.1.3 fetches one token for all waiting callers, and keeps it until it is due", async () => {
    const { wrapped, transport, fetched, clock } = setup([async () => "one", async () => "two"]);
    await Promise.all([wrapped.send(request, signal), wrapped.send(request, signal)]);
    expect(fetched()).toBe(1);
    expect(transport.requests[0]?.headers.authorization).toBe("Bearer one");
    await clock.advance(60_000);
    await wrapped.send(request, signal);
    expect(transport.requests[2]?.headers.authorization).toBe("Bearer two");
  });

  it("machinery/4.1.3 keeps the old token when a refresh fails, and fails without one", async () => {
    const broken = async (): Promise<string> => {
      throw new Error("no token");
    };
    const { wrapped, transport, clock } = setup([async () => "one", broken]);
    await wrapped.send(request, signal);
    await clock.advance(60_000);
    await wrapped.send(request, signal);
    expect(transport.requests[1]?.headers.authorization).toBe("Bearer one");
    await expect(setup([broken]).wrapped.send(request, signal)).rejects.toThrow("no token");
  });

  it("machinery/4.1.3 returns a 401 unchanged and drops a token that is older than the request", async () => {
    const { wrapped, transport, clock } = setup([async () => "one", async () => "two"], 401);
    expect((await wrapped.send(request, signal)).status).toBe(401);
    await clock.advance(1);
    expect((await wrapped.send(request, signal)).status).toBe(401);
    await wrapped.send(request, signal);
    expect(transport.requests.map((sent) => sent.headers.authorization)).toEqual([
      "Bearer one",
      "Bearer one",
      "Bearer two",
    ]);
  });

  it("adds nothing but the token, and keeps it for as long as the server takes it", async () => {
    const { wrapped, transport, fetched, clock } = setup([async () => "one", async () => "two"]);
    const whole = { method: "PUT", path: "/p", query: "q=1", headers: { accept: "a" }, whole: true } as const;
    for (let i = 0; i < 3; i++) {
      await wrapped.send(whole, signal);
      await clock.advance(1000);
    }
    expect(transport.requests).toEqual(
      Array(3).fill({ ...whole, headers: { accept: "a", authorization: "Bearer one" } }),
    );
    expect(fetched()).toBe(1);
  });

  it("machinery/4.1.4 does not change a request that has credentials", async () => {
    const { wrapped, transport, fetched } = setup([async () => "one"]);
    await wrapped.send({ ...request, headers: { authorization: "Bearer mine" } }, signal);
    expect(transport.requests[0]?.headers.authorization).toBe("Bearer mine");
    expect(fetched()).toBe(0);
  });

  it("serves the others when the caller that began the fetch gives up", async () => {
    const first = Promise.withResolvers<string>();
    const { source } = setup([() => first.promise, async () => "two"]);
    const stop = new AbortController();
    const quitter = source.token(stop.signal).catch((error: unknown) => error);
    const patient = source.token(signal);
    stop.abort("bye");
    expect(await quitter).toBe("bye");
    first.resolve("one");
    expect(await patient).toBe("one");
  });
});
