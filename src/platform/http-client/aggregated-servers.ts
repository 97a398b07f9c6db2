// The API server's connections to aggregated API servers, with its front-proxy client certificate. There is one client
// per target, created at first use.

import type { Connect, ServerTarget } from "#apiserver/aggregation/remote-version.ts";
import type { Transport } from "#base/http.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";

export interface AggregatedServersOptions {
  /** PEM of the client certificate that the front-proxy CA signed. */
  readonly cert: string;
  readonly key: string;
}

/** Limit of clients. Beyond it the least recently used client is closed. */
const CLIENTS_MAX = 64;

export function connectAggregatedServers(options: AggregatedServersOptions): Connect {
  const clients = new Map<string, Promise<HttpClient>>();
  const clientOf = (target: ServerTarget): Promise<HttpClient> => {
    const key = JSON.stringify(target);
    const known = clients.get(key);
    const { address, ...tls } = target;
    const client = known ?? createHttpClient({ baseUrl: `https://${address}`, ...tls, ...options });
    // The most recently used client is last.
    clients.delete(key);
    clients.set(key, client);
    const [oldest] = clients;
    if (clients.size > CLIENTS_MAX && oldest !== undefined) {
      clients.delete(oldest[0]);
      void oldest[1].then((each) => each.close());
    }
    return client;
  };
  return (target): Transport => ({ send: async (request, signal) => (await clientOf(target)).send(request, signal) });
}
