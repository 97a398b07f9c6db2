// One TLS connection of the HTTPS server and how long it may live without work.

import type { TLSSocket } from "node:tls";
import type { StreamPacer } from "./stream-pacer.ts";

/** One TLS connection: it ends when no request is open for too long. Requests of h2 show no socket but a stand-in. */
export class Connection {
  readonly socket: TLSSocket;
  /** One for all connections of the server. */
  readonly pacer: StreamPacer;
  readonly #idleMs: number;
  #openRequests = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(socket: TLSSocket, pacer: StreamPacer, idleMs: number) {
    this.socket = socket;
    this.pacer = pacer;
    this.#idleMs = idleMs;
    this.#startIdling();
  }

  beginRequest(): void {
    this.#openRequests++;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
  }

  endRequest(): void {
    if (--this.#openRequests === 0 && !this.socket.destroyed) this.#startIdling();
  }

  close(): void {
    clearTimeout(this.#idleTimer);
  }

  #startIdling(): void {
    this.#idleTimer = setTimeout(() => this.socket.destroy(), this.#idleMs);
  }
}
