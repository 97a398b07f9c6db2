// The HTTP(S) client behind the Transport interface: native fetch on Bun, undici on Node. Neither
// has a hidden time limit; whoever wants one aborts the signal.
import type { HttpClient, HttpClientOptions } from "./http-exchange.ts";

/** The runtime's own client. Loaded on demand: undici costs start-up time that Bun need not spend. */
export async function createHttpClient(options: HttpClientOptions): Promise<HttpClient> {
  if (process.versions.bun !== undefined) {
    return (await import("./http-client-bun.ts")).createBunHttpClient(options);
  }
  return (await import("./http-client-node.ts")).createNodeHttpClient(options);
}
