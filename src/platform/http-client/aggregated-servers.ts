// Connections of an API server to aggregated ones, with the client certificate by which they know it. One client for each
// target, made when it is first needed.

import type { Connect, ServerTarget } from "#apiserver/aggregation/remote-version.ts";
import type { Transport } from "#base/http.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";

export interface AggregatedServersOptions {
  /** PEM of the client certificate that the front-proxy CA signed, and its key. */
  readonly cert: string;
  readonly key: string;
}

/** The most targets that are kept; beyond it those that were unused for longest are dropped. */
const CLIENTS_MAX = 64;

export function connectAggregatedServers(options: AggregatedServersOptions): Connect {
  const clients = new Map<string, Promise<HttpClient>>();
  const clientOf = (target: ServerTarget): Promise<HttpClient> => {
    const key = JSON.stringify(target);
    const known = clients.get(key);
    const { address, ...tls } = target;
    const client = known ?? createHttpClient({ baseUrl: `https://${address}`, ...tls, ...options });
    // The one used last is at the end.
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
