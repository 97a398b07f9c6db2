// A version of a group that another API server answers for, as discovery, OpenAPI and routing see it.

import { type HttpResponse, type Transport, TransportError } from "#base/http.ts";
import type { Registry } from "../registry.ts";
import type { RequestContext } from "../request-context.ts";

export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** What it serves, as the aggregated discovery document has it. Stale: as it was when it was last asked. */
  readonly resources: readonly unknown[];
  readonly isCurrent: boolean;
  /** Where its OpenAPI v3 document is; undefined: it has none, or has not been asked yet. */
  readonly openApiUrl?: string | undefined;
  /** Passes a request on. */
  forward(context: RequestContext, signal: AbortSignal): Promise<HttpResponse>;
}

/** Where an aggregated API server is, and who vouches for it. */
export interface ServerTarget {
  /** "host:port". */
  readonly address: string;
  /** The name in its certificate. */
  readonly serverName: string;
  /** PEM of the authorities that may vouch for it; undefined: the system's. */
  readonly ca?: string;
  readonly insecureSkipVerify: boolean;
}

/** Opens connections to aggregated servers, with the client certificate by which they know this server. */
export type Connect = (target: ServerTarget) => Transport;

/** Of a server without a network. */
export const unconnected: Connect = () => ({
  send: () => Promise.reject(new TransportError("refused", "this API server opens no connections")),
});

/** The version that another server answers for, if the path is one of its resources, its discovery or its OpenAPI document. */
export function remoteOf(registry: Registry, path: string): RemoteVersion | undefined {
  if (!registry.hasRemotes) return undefined;
  const [, group = "", version = ""] = /^(?:\/openapi\/v3)?\/apis\/([^/]+)\/([^/]+)(?:\/|$)/.exec(path) ?? [];
  return registry.remote(group, version);
}
