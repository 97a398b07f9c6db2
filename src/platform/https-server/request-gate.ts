// Sits between the socket of an HTTP/1.1 connection and node's HTTP server, which would read and start every pipelined
// request. The gate serves one request at a time: bytes that follow a request stay here, and the socket is paused,
// until the answer is sent.

import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";

/** The parser gets at most this much at a time, because a small piece holds few requests. */
const PIECE_BYTES_MAX = 16 << 10;
const HEAD_END = "\r\n\r\n";

/** One request of a connection, and its response. */
interface Exchange {
  readonly incoming: { readonly complete: boolean };
  readonly outgoing: { once(event: "close", listener: () => void): unknown };
  readonly serve: () => void;
}

export interface RequestGate {
  /** The HTTP server uses this stream instead of the socket. */
  readonly stream: Duplex;
  /** Serves the request now, or after the ones before it. */
  admit(exchange: Exchange): void;
}

/** The length of the next piece for the parser. While no request is open, at most one whole head. Pure. */
export function pieceLength(bytes: Buffer, isRequestOpen: boolean): number {
  const piece = bytes.subarray(0, PIECE_BYTES_MAX);
  const headEnd = isRequestOpen ? -1 : piece.indexOf(HEAD_END);
  return headEnd < 0 ? piece.length : headEnd + HEAD_END.length;
}

export function gateRequests(socket: TLSSocket): RequestGate {
  let held: Buffer | undefined;
  let current: Exchange | undefined;
  let isResuming = false;
  let isEnded = false;
  const queue: Exchange[] = [];

  const stream = new Duplex({
    // A string is the head of an answer, with one byte per character, whatever encoding the runtime names.
    decodeStrings: false,
    read: release,
    write: (chunk: Buffer | string, _, done) => sent(write(chunk), done),
    writev(chunks, done) {
      socket.cork();
      let hasRoom = true;
      for (const { chunk } of chunks) hasRoom = write(chunk as Buffer | string);
      socket.uncork();
      sent(hasRoom, done);
    },
    final: (done) => void socket.end(() => done()),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on("data", (bytes: Buffer) => {
    held = held === undefined ? bytes : Buffer.concat([held, bytes]);
    release();
  });
  socket.on("end", () => {
    isEnded = true;
    release();
  });
  socket.on("close", () => stream.destroy());

  function write(chunk: Buffer | string): boolean {
    return typeof chunk === "string" ? socket.write(chunk, "latin1") : socket.write(chunk);
  }

  function sent(hasRoom: boolean, done: () => void): void {
    if (hasRoom) done();
    else socket.once("drain", done);
  }

  /** Passes on the body of an open request. The next request has to wait. */
  function release(): void {
    while (held !== undefined && stream.readableLength === 0 && queue.length === 0) {
      if (current?.incoming.complete || isResuming) break;
      const length = pieceLength(held, current !== undefined);
      const piece = held.subarray(0, length);
      held = length < held.length ? held.subarray(length) : undefined;
      stream.push(piece);
    }
    if (held !== undefined) socket.pause();
    else if (isEnded) stream.push(null);
    else socket.resume();
  }

  function begin(exchange: Exchange): void {
    current = exchange;
    exchange.outgoing.once("close", next);
    exchange.serve();
  }

  /**
   * Pipelined requests wait for a turn of the event loop, so that other connections and the rest of the program go
   * first.
   */
  function next(): void {
    current = undefined;
    if (stream.destroyed || (held === undefined && queue.length === 0)) return;
    isResuming = true;
    setImmediate(() => {
      isResuming = false;
      if (stream.destroyed) return;
      const queued = queue.shift();
      if (queued === undefined) release();
      else begin(queued);
    });
  }

  return {
    stream,
    admit(exchange) {
      if (current === undefined && !isResuming) begin(exchange);
      else queue.push(exchange);
    },
  };
}
