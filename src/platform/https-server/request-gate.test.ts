import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { gateRequests, pieceLength } from "./request-gate.ts";

const CHUNK_BYTES = 64 << 10;
const GET = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

/** A socket whose peer never stops sending. */
function endlessSocket(): { socket: TLSSocket; sentBytes: () => number } {
  const chunk = Buffer.from(GET.repeat(CHUNK_BYTES / GET.length));
  let sentBytes = 0;
  const socket = new Duplex({
    read() {
      sentBytes += chunk.length;
      setImmediate(() => socket.push(chunk));
    },
    write: (_bytes, _encoding, done) => done(),
  });
  return { socket: socket as TLSSocket, sentBytes: () => sentBytes };
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe("the gate in front of HTTP/1.1", () => {
  it("passes on one head at a time while no request is open, and bodies in pieces", () => {
    expect(pieceLength(Buffer.from(GET + GET), false)).toBe(GET.length);
    expect(pieceLength(Buffer.from("GET / HT"), false)).toBe(8);
    expect(pieceLength(Buffer.from(GET + GET), true)).toBe(2 * GET.length);
    expect(pieceLength(Buffer.alloc(1 << 20), true)).toBe(16 << 10);
  });

  it("stops reading from a pipelining client until the answer is sent", async () => {
    const { socket, sentBytes } = endlessSocket();
    const gate = gateRequests(socket);
    const served: (() => void)[] = [];
    let heads = 0;
    gate.stream.on("data", (bytes: Buffer) => {
      expect(String(bytes)).toBe(GET);
      heads++;
      gate.admit({
        incoming: { complete: true },
        outgoing: { once: (_, close) => served.push(close) },
        serve: () => undefined,
      });
    });
    await turns(50);
    expect([heads, served.length]).toEqual([1, 1]);
    expect(sentBytes()).toBeLessThanOrEqual(3 * CHUNK_BYTES);
    for (let i = 0; i < 10; i++) {
      served[i]?.();
      await turns(5);
      expect([heads, served.length]).toEqual([i + 2, i + 2]);
    }
    expect(sentBytes()).toBeLessThanOrEqual(3 * CHUNK_BYTES);
  });
});
