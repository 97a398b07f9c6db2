// Where an HTTP client connects and what it requests there: directly, by CONNECT through a proxy, or, without TLS, by
// asking the proxy to fetch. Pure.
import type { HttpClientOptions } from "./http-client.ts";
import type { RequestTarget } from "./http1-request.ts";
import type { SocketTarget, TlsTarget } from "./socket.ts";

export interface Route {
  /** Prefix of the path in messages. */
  readonly origin: string;
  readonly target: RequestTarget;
  readonly socketTarget: SocketTarget;
}

export function routeOf(options: HttpClientOptions): Route {
  const url = new URL(options.baseUrl);
  const { host, origin } = url;
  const path = url.pathname.replace(/\/+$/, "");
  const server = placeOf(url);
  const isTls = url.protocol === "https:";
  const tls = isTls ? { tls: tlsTarget(options, options.serverName ?? server.host) } : {};
  const target = { host, prefix: path };
  if (options.proxyUrl === undefined) return { origin, target, socketTarget: { ...server, ...tls } };
  const proxyUrl = new URL(options.proxyUrl);
  const proxyPlace = placeOf(proxyUrl);
  // As upstream, one TLS configuration covers the proxy too: same authorities, but the proxy's own name.
  const proxyTls = proxyUrl.protocol === "https:" ? { tls: tlsTarget(options, proxyPlace.host) } : {};
  const authorization = basicLogin(proxyUrl);
  if (isTls) {
    const proxy = { ...proxyPlace, ...proxyTls, ...(authorization !== undefined && { authorization }) };
    return { origin, target, socketTarget: { ...server, ...tls, proxy } };
  }
  const login = authorization === undefined ? {} : { proxyAuthorization: authorization };
  return {
    origin,
    target: { host, prefix: `${origin}${path}`, ...login },
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
