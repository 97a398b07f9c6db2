// The HTTP(S) client behind the Transport interface: HTTP/1.1 on connections of its own (ADR 9). Streams have no limit
// of time once a connection is made, and whole answers only one for their beginning; whoever wants another aborts the
// signal.
import type { Clock, Timer } from "#base/clock.ts";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { Slots } from "#base/slots.ts";
import { Connection, type ConnectionHome } from "./http-connection.ts";
import { exchangeError } from "./http-errors.ts";
import { isReplayable, type RequestTarget, requestHead } from "./http1-request.ts";
import type { Dial, SocketTarget, TlsTarget } from "./socket.ts";
import { backgroundTimers } from "./system-clock.ts";

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

export interface HttpClient extends Transport {
  /** From now on new connections are made so, but with a proxy as before; exchanges under way end as they began. */
  update(options: HttpClientOptions): void;
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
/**
 * A peer that vanished while it had something to acknowledge is noticed by the kernel after a quarter of an hour. So
 * whole answers must begin sooner; kube-apiserver gives up itself after one minute.
 */
const SILENCE_MS_MAX = 150_000;
const SILENCE_LOOK_MS = 30_000;

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
): HttpClient {
  return new PooledClient(dialer, options, timers);
}

class PooledClient implements HttpClient {
  readonly #dialer: Dialer;
  readonly #timers: Timers;
  readonly #slots = new Slots(WHOLE_EXCHANGES_MAX);
  #pool: Pool;

  constructor(dialer: Dialer, options: HttpClientOptions, timers: Timers) {
    this.#dialer = dialer;
    this.#timers = timers;
    this.#pool = new Pool(dialer, options, timers);
  }

  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    signal.throwIfAborted();
    if (!request.whole) return this.#pool.send(request, signal);
    const turn = this.#slots.take(signal);
    if (turn !== undefined) await turn;
    try {
      return await this.#pool.send(request, signal);
    } finally {
      this.#slots.give();
    }
  }

  update(options: HttpClientOptions): void {
    this.#pool.retire();
    this.#pool = new Pool(this.#dialer, options, this.#timers);
  }

  close(): void {
    this.#pool.retire();
  }
}

/** The connections that were made with the same options. */
class Pool implements ConnectionHome {
  readonly origin: string;
  readonly #target: RequestTarget;
  readonly #dial: Dial;
  /** The one used last is at the end, and is used next. */
  readonly #idle: Connection[] = [];
  #isRetired = false;
  readonly #timers: Timers;
  #timer: Timer | undefined;
  /** All of them, and for a while those that are closed. */
  readonly #connections = new Set<Connection>();
  #isLooking = false;

  constructor(dialer: Dialer, options: HttpClientOptions, timers: Timers) {
    this.#timers = timers;
    const url = new URL(options.baseUrl);
    const { target, socketTarget } = routeOf(url, options);
    this.origin = url.origin;
    this.#target = target;
    this.#dial = dialer(socketTarget);
  }

  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
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

  onIdle(connection: Connection): boolean {
    if (this.#isRetired || this.#idle.length >= IDLE_CONNECTIONS_MAX) return false;
    connection.sinceMs = this.#timers.monotonicMs();
    connection.setBusy(false);
    this.#idle.push(connection);
    this.#timer ??= this.#timers.after(IDLE_MS_MAX, this.#closeOld);
    return true;
  }

  onGone(connection: Connection): void {
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  retire(): void {
    this.#isRetired = true;
    this.#timer?.[Symbol.dispose]();
    for (const connection of this.#idle.splice(0)) connection.close();
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
    const connection = new Connection(this);
    try {
      connection.use(await this.#dial(connection, signal));
      this.#connections.add(connection);
      if (!this.#isLooking) this.#lookLater();
      return connection;
    } catch (error) {
      throw exchangeError(error, request, this.origin, signal);
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
    if (this.#isLooking) this.#timers.after(SILENCE_LOOK_MS, this.#endSilent);
  }

  readonly #endSilent = (): void => {
    const before = this.#timers.monotonicMs() - SILENCE_MS_MAX;
    for (const connection of this.#connections) {
      if (connection.isClosed) this.#connections.delete(connection);
      else if (connection.sinceMs <= before) connection.endSilent(`no answer came within ${SILENCE_MS_MAX / 1000} s`);
    }
    this.#lookLater();
  };

  readonly #closeOld = (): void => {
    this.#timer = undefined;
    const now = this.#timers.monotonicMs();
    while (this.#idle[0] !== undefined && now - this.#idle[0].sinceMs >= IDLE_MS_MAX) this.#idle.shift()?.close();
    const oldest = this.#idle[0];
    if (oldest !== undefined) this.#timer = this.#timers.after(oldest.sinceMs + IDLE_MS_MAX - now, this.#closeOld);
  };
}

/** Where to connect to, and what to ask for there. */
function routeOf(url: URL, options: HttpClientOptions): { target: RequestTarget; socketTarget: SocketTarget } {
  const { host } = url;
  const path = url.pathname.replace(/\/+$/, "");
  const server = placeOf(url);
  const isTls = url.protocol === "https:";
  const tls = isTls ? { tls: tlsTarget(options, options.serverName ?? server.host) } : {};
  if (options.proxyUrl === undefined) return { target: { host, prefix: path }, socketTarget: { ...server, ...tls } };
  const proxyUrl = new URL(options.proxyUrl);
  const proxyPlace = placeOf(proxyUrl);
  // The proxy is trusted by the same authorities, as upstream's one TLS configuration has it, under its own name.
  const proxyTls = proxyUrl.protocol === "https:" ? { tls: tlsTarget(options, proxyPlace.host) } : {};
  const authorization = basicLogin(proxyUrl);
  if (isTls) {
    const proxy = { ...proxyPlace, ...proxyTls, ...(authorization !== undefined && { authorization }) };
    return { target: { host, prefix: path }, socketTarget: { ...server, ...tls, proxy } };
  }
  const login = authorization === undefined ? {} : { proxyAuthorization: authorization };
  return {
    target: { host, prefix: `${url.origin}${path}`, ...login },
    socketTarget: { ...proxyPlace, ...proxyTls },
  };
}

function placeOf(url: URL): { host: string; port: number } {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port };
}

function tlsTarget({ ca, cert, key, insecureSkipVerify }: HttpClientOptions, name: string): TlsTarget {
  return {
    name,
    isVerified: !insecureSkipVerify,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

function basicLogin({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(login).toString("base64")}`;
}
