// The connections of the HTTPS server, and how long each may go without a request. One timer checks all waiting
// connections every second, so a request needs no timer.
// Upstream: net/http, Server (IdleTimeout, ReadHeaderTimeout); golang.org/x/net/http2, Server (IdleTimeout, preface).

import type { Http2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Clock, Timer } from "#base/clock.ts";
import type { StreamPacer } from "./stream-pacer.ts";

export interface ConnectionLimits {
  /** Between requests, and before the first of an h2 connection. */
  readonly idleMs: number;
  /**
   * From the first to the last byte of a request's head. Also the limit for the first request of an HTTP/1.1
   * connection.
   */
  readonly headMs: number;
  /** A new h2 connection must send its preface within this time. */
  readonly prefaceMs: number;
  /** Interval of the checks, and so the precision of the limits. */
  readonly lookMs: number;
}

/** The state of a waiting connection. */
interface Waiting {
  readonly isHttp2: boolean;
  readonly bytesRead: number;
  end(): void;
}

/** h2 requests expose a proxy object instead of the socket. */
export class Connection implements Waiting {
  readonly socket: TLSSocket;
  /** One pacer for all connections of the server. */
  readonly pacer: StreamPacer;
  readonly #waiting: WaitingConnections;
  #openRequests = 0;
  #session: Http2Session | undefined;

  constructor(socket: TLSSocket, pacer: StreamPacer, waiting: WaitingConnections) {
    this.socket = socket;
    this.pacer = pacer;
    this.#waiting = waiting;
    waiting.add(this, true);
  }

  get isHttp2(): boolean {
    return this.socket.alpnProtocol === "h2";
  }

  get bytesRead(): number {
    return this.socket.bytesRead;
  }

  /** The peer opened an h2 session. */
  greeted(session: Http2Session): void {
    this.#session = session;
    if (this.#openRequests === 0) this.#waiting.add(this, false);
  }

  beginRequest(): void {
    this.#openRequests++;
    this.#waiting.delete(this);
  }

  endRequest(): void {
    if (--this.#openRequests === 0 && !this.socket.destroyed) this.#waiting.add(this, false);
  }

  /** On h2, the peer learns which requests were not processed. */
  end(): void {
    if (this.#session === undefined) this.socket.destroy();
    else this.#session.close();
  }

  close(): void {
    this.#waiting.delete(this);
  }
}

interface Wait {
  endsAtMs: number;
  readonly bytesBefore: number;
  /** Between two requests: the head of the next one may begin. */
  isBetween: boolean;
}

/** Connections without an open request. Connections over their limit are closed. */
export class WaitingConnections {
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #waits = new Map<Waiting, Wait>();
  #timer: Timer | undefined;

  constructor(limits: ConnectionLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Pings do not keep an idle h2 connection open. The first head of a connection has a fixed deadline, however early it
   * began.
   */
  add(connection: Waiting, isNew: boolean): void {
    const { idleMs, headMs, prefaceMs, lookMs } = this.#limits;
    const { isHttp2, bytesRead: bytesBefore } = connection;
    const limitMs = isNew ? (isHttp2 ? prefaceMs : headMs) : idleMs;
    const endsAtMs = this.#clock.monotonicMs() + limitMs;
    this.#waits.set(connection, { endsAtMs, bytesBefore, isBetween: !isNew && !isHttp2 });
    this.#timer ??= this.#clock.after(lookMs, () => this.#look());
  }

  delete(connection: Waiting): void {
    this.#waits.delete(connection);
  }

  close(): void {
    this.#waits.clear();
    this.#timer?.[Symbol.dispose]();
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [connection, wait] of this.#waits) {
      if (wait.isBetween && connection.bytesRead > wait.bytesBefore) {
        wait.endsAtMs = nowMs + this.#limits.headMs;
        wait.isBetween = false;
      }
      if (nowMs < wait.endsAtMs) continue;
      this.#waits.delete(connection);
      connection.end();
    }
    this.#timer = this.#waits.size === 0 ? undefined : this.#clock.after(this.#limits.lookMs, () => this.#look());
  }
}
