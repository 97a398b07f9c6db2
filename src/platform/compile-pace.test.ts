import { describe, expect, it } from "vitest";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { compilingAtWork, RESTING_SCALE } from "./compile-pace.ts";

const request: HttpRequest = { method: "GET", path: "/a", query: "", headers: {} };
const answer: HttpResponse = { status: 200, headers: {}, body: { kind: "bytes", bytes: new Uint8Array() } };
const server: Transport = { send: async () => answer };
const never = neverAborted();

function stage(): { clock: VirtualClock; scales: number[]; send(count: number): Promise<void> } {
  const clock = testClock();
  const scales: number[] = [];
  const paced = compilingAtWork(clock, (scale) => scales.push(scale));
  const transports = [paced(server), paced(server)];
  return {
    clock,
    scales,
    async send(count) {
      for (let i = 0; i < count; i++) expect(await transports[i % 2]?.send(request, never)).toBe(answer);
    },
  };
}

describe("how soon the runtime compiles", () => {
  it("is left alone by a start and by what controllers at rest send", async () => {
    const { clock, scales, send } = stage();
    await send(60);
    for (let i = 0; i < 30; i++) {
      await clock.advance(2_000);
      await send(5);
    }
    expect(scales).toEqual([]);
  });

  it("is at once when many requests come, over whichever transport, and later again when they are over", async () => {
    const { clock, scales, send } = stage();
    await send(99);
    expect(scales).toEqual([]);
    await send(1);
    expect(scales).toEqual([1]);
    for (let i = 0; i < 5; i++) {
      await clock.advance(4_999);
      await send(100);
    }
    expect(scales).toEqual([1]);
    await clock.advance(10_000);
    expect(scales).toEqual([1, RESTING_SCALE]);
    await send(100);
    expect(scales).toEqual([1, RESTING_SCALE, 1]);
  });

  it("leaves no timer behind", async () => {
    const { clock, scales, send } = stage();
    await send(150);
    await clock.advance(10_000);
    expect(scales).toEqual([1, RESTING_SCALE]);
    await clock.advance(3_600_000);
    expect(scales).toHaveLength(2);
  });

  it("is nothing that Node lets anybody choose", () => {
    expect(compilingAtWork(testClock(), undefined)(server) === server).toBe(process.versions.bun === undefined);
  });
});
