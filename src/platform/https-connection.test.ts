import { describe, expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import { WaitingConnections } from "./https-connection.ts";

const limits = { idleMs: 90_000, headMs: 32_000, prefaceMs: 10_000, lookMs: 1_000 };

describe("a connection without a request", () => {
  it.each([
    { what: "a new one over HTTP/1.1", protocol: "http/1.1", isNew: true, byteAtS: undefined, endsAtS: 32 },
    { what: "a new one with half a head", protocol: "http/1.1", isNew: true, byteAtS: 20, endsAtS: 32 },
    { what: "one between requests", protocol: "http/1.1", isNew: false, byteAtS: undefined, endsAtS: 90 },
    { what: "one with half of another head", protocol: "http/1.1", isNew: false, byteAtS: 20, endsAtS: 52 },
    { what: "a head that begins in the last moment", protocol: "http/1.1", isNew: false, byteAtS: 89, endsAtS: 121 },
    { what: "a new one over h2 that says nothing", protocol: "h2", isNew: true, byteAtS: undefined, endsAtS: 10 },
    { what: "one over h2 between requests", protocol: "h2", isNew: false, byteAtS: undefined, endsAtS: 90 },
    { what: "one over h2 that only pings", protocol: "h2", isNew: false, byteAtS: 80, endsAtS: 90 },
  ])("machinery/2.4.3 $what ends after $endsAtS s", async ({ protocol, isNew, byteAtS, endsAtS }) => {
    const clock = testClock();
    const waiting = new WaitingConnections(limits, clock);
    const startedMs = clock.monotonicMs();
    let endedAtMs: number | undefined;
    const socket = {
      alpnProtocol: protocol,
      bytesRead: 1000,
      destroy() {
        endedAtMs = clock.monotonicMs() - startedMs;
        return this as never;
      },
    };
    waiting.add(socket, isNew);
    if (byteAtS !== undefined) clock.after(byteAtS * 1000 - 500, () => socket.bytesRead++);
    await clock.advance(200_000);
    expect((endedAtMs ?? 0) / 1000).toBe(endsAtS);
    expect(clock.pendingCount).toBe(0);
  });

  it("lives on as soon as its request is there", async () => {
    const clock = testClock();
    const waiting = new WaitingConnections(limits, clock);
    const socket = {
      alpnProtocol: "http/1.1",
      bytesRead: 0,
      destroy: (): never => {
        throw new Error("ended");
      },
    };
    waiting.add(socket, true);
    await clock.advance(31_000);
    waiting.delete(socket);
    await clock.advance(200_000);
    expect(clock.pendingCount).toBe(0);
    waiting.add(socket, false);
    waiting.close();
    expect(clock.pendingCount).toBe(0);
  });
});
