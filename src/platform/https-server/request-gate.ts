// Stands between the socket of an HTTP/1.1 connection and node's HTTP server, which would read and begin every request
// that a client pipelines. Here one request is served after the other: bytes that follow a request stay here, and the
// socket rests, until its answer has left.

import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";

/** The parser gets no more than this at a time: a small piece holds few requests. */
const PIECE_BYTES_MAX = 16 << 10;
const HEAD_END = "\r\n\r\n";

/** One request of a connection, and the end of its answer. */
interface Exchange {
  readonly incoming: { readonly complete: boolean };
  readonly outgoing: { once(event: "close", listener: () => void): unknown };
  readonly serve: () => void;
}

export interface RequestGate {
  /** For the HTTP server, in place of the socket. */
  readonly stream: Duplex;
  /** Serves the request now, or after those before it. */
  admit(exchange: Exchange): void;
}

/** The length of the next piece for the parser: while no request is open, no more than one whole head. Pure. */
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
    // Text is the head of an answer, one byte per character, whatever encoding the runtime names.
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

  /** An open request gets its body; the next request has to wait. */
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

  /** What was pipelined waits for a turn of the event loop: other connections and the rest of the program go first. */
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
