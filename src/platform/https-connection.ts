// The connections of the HTTPS server, and how long each may go without a request. One look a second at those that
// wait serves all of them: a request costs no timer.
// Upstream: net/http, Server (IdleTimeout, ReadHeaderTimeout); golang.org/x/net/http2, Server (IdleTimeout, preface).

import type { TLSSocket } from "node:tls";
import type { Clock, Timer } from "#base/clock.ts";
import type { StreamPacer } from "./stream-pacer.ts";

export interface ConnectionLimits {
  /** Between requests, and before the first of an h2 connection. */
  readonly idleMs: number;
  /** From the first byte of a request's head to its last; a new HTTP/1.1 connection is given no more either. */
  readonly headMs: number;
  /** A new h2 connection must have said something by then. */
  readonly prefaceMs: number;
  /** How often it is looked: the limits are kept to within this time. */
  readonly lookMs: number;
}

/** Requests of h2 show no socket but a stand-in. */
export class Connection {
  readonly socket: TLSSocket;
  /** One for all connections of the server. */
  readonly pacer: StreamPacer;
  readonly #waiting: WaitingConnections;
  #openRequests = 0;

  constructor(socket: TLSSocket, pacer: StreamPacer, waiting: WaitingConnections) {
    this.socket = socket;
    this.pacer = pacer;
    this.#waiting = waiting;
    waiting.add(socket, true);
  }

  /** The peer has begun to speak h2. */
  greeted(): void {
    if (this.#openRequests === 0) this.#waiting.add(this.socket, false);
  }

  beginRequest(): void {
    this.#openRequests++;
    this.#waiting.delete(this.socket);
  }

  endRequest(): void {
    if (--this.#openRequests === 0 && !this.socket.destroyed) this.#waiting.add(this.socket, false);
  }

  close(): void {
    this.#waiting.delete(this.socket);
  }
}

type WaitingSocket = Pick<TLSSocket, "alpnProtocol" | "bytesRead" | "destroy">;

interface Wait {
  endsAtMs: number;
  readonly bytesBefore: number;
  /** The head of another request may begin. */
  isBetween: boolean;
}

/** Connections without an open request; those that are late are ended. */
export class WaitingConnections {
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #waits = new Map<WaitingSocket, Wait>();
  #timer: Timer | undefined;

  constructor(limits: ConnectionLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Pings do not keep an idle h2 connection, and the head of a new one is late however early it began. */
  add(socket: WaitingSocket, isNew: boolean): void {
    const { idleMs, headMs, prefaceMs, lookMs } = this.#limits;
    const isHttp2 = socket.alpnProtocol === "h2";
    const limitMs = isNew ? (isHttp2 ? prefaceMs : headMs) : idleMs;
    const endsAtMs = this.#clock.monotonicMs() + limitMs;
    this.#waits.set(socket, { endsAtMs, bytesBefore: socket.bytesRead, isBetween: !isNew && !isHttp2 });
    this.#timer ??= this.#clock.after(lookMs, () => this.#look());
  }

  delete(socket: WaitingSocket): void {
    this.#waits.delete(socket);
  }

  close(): void {
    this.#waits.clear();
    this.#timer?.[Symbol.dispose]();
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [socket, wait] of this.#waits) {
      if (wait.isBetween && socket.bytesRead > wait.bytesBefore) {
        wait.endsAtMs = nowMs + this.#limits.headMs;
        wait.isBetween = false;
      }
      if (nowMs < wait.endsAtMs) continue;
      this.#waits.delete(socket);
      socket.destroy();
    }
    this.#timer = this.#waits.size === 0 ? undefined : this.#clock.after(this.#limits.lookMs, () => this.#look());
  }
}
