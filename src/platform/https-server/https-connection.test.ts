import { describe, expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import { WaitingConnections } from "./https-connection.ts";

const limits = { idleMs: 90_000, headMs: 32_000, prefaceMs: 10_000, lookMs: 1_000 };

describe("a connection without a request", () => {
  it.each([
    { what: "a new HTTP/1.1 connection", isHttp2: false, isNew: true, byteAtS: undefined, endsAtS: 32 },
    { what: "a new connection with half a head", isHttp2: false, isNew: true, byteAtS: 20, endsAtS: 32 },
    { what: "a connection between requests", isHttp2: false, isNew: false, byteAtS: undefined, endsAtS: 90 },
    { what: "a connection with half of another head", isHttp2: false, isNew: false, byteAtS: 20, endsAtS: 52 },
    { what: "a head that begins at the last moment", isHttp2: false, isNew: false, byteAtS: 89, endsAtS: 121 },
    { what: "a new silent h2 connection", isHttp2: true, isNew: true, byteAtS: undefined, endsAtS: 10 },
    { what: "an h2 connection between requests", isHttp2: true, isNew: false, byteAtS: undefined, endsAtS: 90 },
    { what: "an h2 connection that only pings", isHttp2: true, isNew: false, byteAtS: 80, endsAtS: 90 },
  ])("machinery/2.4.3 $what ends after $endsAtS s", async ({ isHttp2, isNew, byteAtS, endsAtS }) => {
    const clock = testClock();
    const waiting = new WaitingConnections(limits, clock);
    const startedMs = clock.monotonicMs();
    let endedAtMs: number | undefined;
    const connection = {
      isHttp2,
      bytesRead: 1000,
      end() {
        endedAtMs = clock.monotonicMs() - startedMs;
      },
    };
    waiting.add(connection, isNew);
    if (byteAtS !== undefined) clock.after(byteAtS * 1000 - 500, () => connection.bytesRead++);
    await clock.advance(200_000);
    expect((endedAtMs ?? 0) / 1000).toBe(endsAtS);
    expect(clock.pendingCount).toBe(0);
  });

  it("stays open once its request has arrived", async () => {
    const clock = testClock();
    const waiting = new WaitingConnections(limits, clock);
    const connection = {
      isHttp2: false,
      bytesRead: 0,
      end(): never {
        throw new Error("ended");
      },
    };
    waiting.add(connection, true);
    await clock.advance(31_000);
    waiting.delete(connection);
    await clock.advance(200_000);
    expect(clock.pendingCount).toBe(0);
    waiting.add(connection, false);
    waiting.close();
    expect(clock.pendingCount).toBe(0);
  });
});
