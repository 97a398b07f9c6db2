// The HTTP(S) client behind the Transport interface: HTTP/1.1 with its own connection pool (ADR 9). Once connected, as
// long as the server's machine is reachable, there is one generous time limit: for the start of a whole answer. A
// caller that needs a shorter limit aborts the signal.
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
  /** Scheme, host and port, and an optional prefix for every request's path. */
  readonly baseUrl: string;
  /** PEM of the authorities that may sign the server's certificate. Absent: the system's. */
  readonly ca?: string;
  /** PEM of the client's certificate chain. */
  readonly cert?: string;
  readonly key?: string;
  /** The name to send in SNI and to expect in the server's certificate, instead of the host name. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  /** http:// or https:// URL of a proxy, with credentials if it needs them. */
  readonly proxyUrl?: string;
}

/** The trusted authorities and the client certificate, which may change. */
export type ClientTls = Pick<HttpClientOptions, "ca" | "cert" | "key">;

export interface HttpClient extends Transport {
  /**
   * Makes new connections with these settings. If the client certificate changed, open connections are closed together
   * with their exchanges; otherwise exchanges under way finish.
   */
  update(tls: ClientTls): void;
  /** Closes idle connections. Exchanges under way finish. */
  close(): void;
}

/**
 * How many whole answers a client fetches at the same time. Each needs a connection, whose handshake costs both ends
 * more than ten requests. A request that waits here is served sooner than over a new connection.
 */
const WHOLE_EXCHANGES_MAX = 24;
// Upstream: client-go/transport/cache.go, idleConnsPerHost; net/http/transport.go, DefaultTransport
const IDLE_CONNECTIONS_MAX = 25;
const IDLE_MS_MAX = 90_000;
/** A request that must not be sent twice does not use a connection idle for longer: the server may be closing it. */
const IDLE_FOR_WRITES_MS_MAX = 60_000;
/** How often idle and waiting connections are checked. */
const LOOK_MS = 30_000;
/**
 * How long a whole answer may take to begin. Go waits for ever while the server answers pings. kube-apiserver ends a
 * request itself, by default after one minute.
 */
const SILENCE_MS_MAX = 900_000;
/** The same limit where the system cannot tell whether the server is reachable. */
const UNKNOWN_SILENCE_MS_MAX = 150_000;

/**
 * Uses the runtime's own sockets; behind a proxy, Node's, which support TLS inside TLS. Loads only the sockets it uses.
 */
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
  /** Connections without an exchange. The most recently used one is last, and is used next. */
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
      connection.cut(resetError("the connection was closed because the client's certificate changed"));
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
      // update() was called meanwhile. Nothing was sent yet.
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
        connection.cut(timeoutError("the server does not acknowledge the request"));
      else if (isLate) connection.cut(timeoutError(`no answer arrived within ${limitMs / 1000} s`));
    }
  }

  #closeIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.close();
  }
}
