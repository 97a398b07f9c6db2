// The HTTP(S) client behind the Transport interface: HTTP/1.1 on connections of its own (ADR 9). Once a connection is made
// there is no limit of time but one, a generous one, for the beginning of whole answers, as long as the server's machine
// is there; a caller that wants a limit aborts the signal.
import type { Clock } from "#base/clock.ts";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { Slots } from "#base/slots.ts";
import { backgroundTimers } from "../system/system-clock.ts";
import { Connection, type ConnectionHome } from "./http-connection.ts";
import { exchangeError } from "./http-errors.ts";
import { routeOf } from "./http-route.ts";
import { isReplayable, type RequestTarget, requestHead } from "./http1-request.ts";
import { lostConnections, portsKey } from "./lost-connections.ts";
import { type Dial, resetError, type SocketTarget, timeoutError } from "./socket.ts";

export interface HttpClientOptions {
  /** Scheme, host and port, and a path to put before every request's path if there is one. */
  readonly baseUrl: string;
  /** PEM of the authorities that may vouch for the server; the system's when absent. */
  readonly ca?: string;
  /** PEM of the client's certificate (chain) and key. */
  readonly cert?: string;
  readonly key?: string;
  /** The name asked for, and expected in the server's certificate, instead of the host's. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  /** http:// or https:// URL of a proxy, with credentials if it wants them. */
  readonly proxyUrl?: string;
}

/** Whom it trusts and what it shows of itself; this may change. */
export type ClientTls = Pick<HttpClientOptions, "ca" | "cert" | "key">;

export interface HttpClient extends Transport {
  /**
   * From now on connections are made so. When the client's own certificate is another one, those that showed the old one
   * are cut, with the exchanges on them; otherwise these end as they began.
   */
  update(tls: ClientTls): void;
  /** Lets go of idle connections. Exchanges under way end by themselves. */
  close(): void;
}

/**
 * Whole answers that a client fetches at once. Each takes a connection of its own, whose handshake costs both ends
 * more than ten requests do; what waits here is served sooner than it would be by new ones.
 */
const WHOLE_EXCHANGES_MAX = 24;
// Upstream: client-go/transport/cache.go, idleConnsPerHost; net/http/transport.go, DefaultTransport
const IDLE_CONNECTIONS_MAX = 25;
const IDLE_MS_MAX = 90_000;
/** What must not be sent twice is not sent on a connection that the server may just be closing for being idle. */
const IDLE_FOR_WRITES_MS_MAX = 60_000;
/** How often connections are looked at that are idle, or wait for an answer. */
const LOOK_MS = 30_000;
/**
 * How long a whole answer may take to begin. Go waits for ever while the server answers its pings; kube-apiserver gives up
 * by itself, after one minute unless it is told otherwise.
 */
const SILENCE_MS_MAX = 900_000;
/** The same on runtimes that do not tell whether the server is still there. */
const UNKNOWN_SILENCE_MS_MAX = 150_000;

/** On the runtime's own sockets; through a proxy on those of Node, which can do TLS inside of TLS. Loads what it needs. */
export async function createHttpClient(options: HttpClientOptions): Promise<HttpClient> {
  const isOnBun = process.versions.bun !== undefined && options.proxyUrl === undefined;
  const dialer = isOnBun ? (await import("./socket-bun.ts")).bunDialer : (await import("./socket-node.ts")).nodeDialer;
  return httpClientOn(dialer, options);
}

type Dialer = (target: SocketTarget) => Dial;
type Timers = Pick<Clock, "monotonicMs" | "after">;

export function httpClientOn(
  dialer: Dialer,
  options: HttpClientOptions,
  timers: Timers = backgroundTimers,
  lost: typeof lostConnections = lostConnections,
): HttpClient {
  return new PooledClient(dialer, options, timers, lost);
}

class PooledClient implements HttpClient, ConnectionHome {
  readonly origin: string;
  readonly #target: RequestTarget;
  readonly #dialer: Dialer;
  readonly #timers: Timers;
  readonly #lost: typeof lostConnections;
  readonly #slots = new Slots(WHOLE_EXCHANGES_MAX);
  #options: HttpClientOptions;
  #dial: Dial;
  readonly #connections = new Set<Connection>();
  /** Those without an exchange. The one used last is at the end, and is used next. */
  readonly #idle: Connection[] = [];
  #isLooking = false;
  #isClosed = false;

  constructor(dialer: Dialer, options: HttpClientOptions, timers: Timers, lost: typeof lostConnections) {
    const { origin, target, socketTarget } = routeOf(options);
    this.origin = origin;
    this.#target = target;
    this.#dialer = dialer;
    this.#timers = timers;
    this.#lost = lost;
    this.#options = options;
    this.#dial = dialer(socketTarget);
  }

  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    signal.throwIfAborted();
    if (!request.whole || request.urgent) return this.#send(request, signal);
    const turn = this.#slots.take(signal);
    if (turn !== undefined) await turn;
    try {
      return await this.#send(request, signal);
    } finally {
      this.#slots.give();
    }
  }

  // Upstream: client-go/transport/{cert_rotation,ca_rotation}.go
  update(tls: ClientTls): void {
    const { ca: _, cert, key, ...rest } = this.#options;
    this.#options = { ...rest, ...tls };
    this.#dial = this.#dialer(routeOf(this.#options).socketTarget);
    this.#closeIdle();
    if (tls.cert === cert && tls.key === key) return;
    for (const connection of this.#connections) {
      connection.cut(resetError("the connection was closed, since the client has another certificate now"));
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#closeIdle();
  }

  onIdle(connection: Connection): boolean {
    const isWanted = connection.dial === this.#dial && !this.#isClosed;
    if (!isWanted || this.#idle.length >= IDLE_CONNECTIONS_MAX) return false;
    connection.sinceMs = this.#timers.monotonicMs();
    connection.setBusy(false);
    this.#idle.push(connection);
    return true;
  }

  onGone(connection: Connection): void {
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  async #send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const canRepeat = isReplayable(request);
    const head = this.#head(request, signal);
    const idle = this.#take(canRepeat ? IDLE_MS_MAX : IDLE_FOR_WRITES_MS_MAX);
    if (idle !== undefined) {
      try {
        return await this.#exchange(idle, request, head, signal);
      } catch (error) {
        const isWorthRepeating = canRepeat && idle.wasClosedUnanswered && !signal.aborted;
        if (!isWorthRepeating) throw error;
      }
    }
    return this.#exchange(await this.#connect(request, signal), request, head, signal);
  }

  #head(request: HttpRequest, signal: AbortSignal): string {
    try {
      return requestHead(request, this.#target);
    } catch (error) {
      throw exchangeError(error, request, this.origin, signal);
    }
  }

  #take(idleMsMax: number): Connection | undefined {
    const last = this.#idle.at(-1);
    if (last === undefined || this.#timers.monotonicMs() - last.sinceMs > idleMsMax) return undefined;
    this.#idle.pop();
    last.setBusy(true);
    return last;
  }

  async #connect(request: HttpRequest, signal: AbortSignal): Promise<Connection> {
    for (;;) {
      const connection = new Connection(this, this.#dial);
      try {
        await connection.open(signal);
      } catch (error) {
        throw exchangeError(error, request, this.origin, signal);
      }
      if (connection.dial === this.#dial) {
        this.#connections.add(connection);
        if (!this.#isLooking) this.#lookLater();
        return connection;
      }
      // An update came meanwhile. Nothing was sent yet.
      connection.close();
    }
  }

  #exchange(connection: Connection, request: HttpRequest, head: string, signal: AbortSignal): Promise<HttpResponse> {
    try {
      signal.throwIfAborted();
      request.guard?.();
    } catch (error) {
      if (!this.onIdle(connection)) connection.close();
      throw error;
    }
    connection.sinceMs = this.#timers.monotonicMs();
    return connection.exchange(request, head, signal);
  }

  #lookLater(): void {
    this.#isLooking = this.#connections.size > 0;
    if (this.#isLooking) this.#timers.after(LOOK_MS, this.#look);
  }

  readonly #look = (): void => {
    const now = this.#timers.monotonicMs();
    while (this.#idle[0] !== undefined && now - this.#idle[0].sinceMs >= IDLE_MS_MAX) this.#idle.shift()?.close();
    this.#endSilent(now);
    this.#lookLater();
  };

  #endSilent(now: number): void {
    const silent: Connection[] = [];
    for (const connection of this.#connections) {
      if (connection.unanswered && now - connection.sinceMs >= LOOK_MS) silent.push(connection);
    }
    if (silent.length === 0) return;
    const lost = this.#lost();
    const limitMs = lost === undefined ? UNKNOWN_SILENCE_MS_MAX : SILENCE_MS_MAX;
    for (const connection of silent) {
      const isLate = connection.unanswered?.whole && now - connection.sinceMs >= limitMs;
      if (lost?.has(portsKey(...connection.ports())))
        connection.cut(timeoutError("the server does not acknowledge it"));
      else if (isLate) connection.cut(timeoutError(`no answer came within ${limitMs / 1000} s`));
    }
  }

  #closeIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.close();
  }
}
