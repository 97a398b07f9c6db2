// A group version that another API server serves, for discovery, OpenAPI and routing.

import { type HttpResponse, type Transport, TransportError } from "#base/http.ts";
import type { Registry } from "../registry.ts";
import type { RequestContext } from "../request-context.ts";

export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Its resources, as in the aggregated discovery document. If stale, the last known ones. */
  readonly resources: readonly unknown[];
  readonly isCurrent: boolean;
  /** URL of its OpenAPI v3 document; undefined if unknown. */
  readonly openApiUrl?: string | undefined;
  /** Forwards a request. */
  forward(context: RequestContext, signal: AbortSignal): Promise<HttpResponse>;
}

/** The address of an aggregated API server, and its trusted authorities. */
export interface ServerTarget {
  /** "host:port". */
  readonly address: string;
  /** The expected name in its certificate. */
  readonly serverName: string;
  /** PEM of the authorities that may sign the server's certificate; undefined: the system's. */
  readonly ca?: string;
  readonly insecureSkipVerify: boolean;
}

/** Opens connections to aggregated servers with this server's client certificate. */
export type Connect = (target: ServerTarget) => Transport;

/** For a server without a network. */
export const unconnected: Connect = () => ({
  send: () => Promise.reject(new TransportError("refused", "this API server opens no connections")),
});

/** The remote version, if the path is one of its resources, its discovery or its OpenAPI document. */
export function remoteOf(registry: Registry, path: string): RemoteVersion | undefined {
  if (!registry.hasRemotes) return undefined;
  const [, group = "", version = ""] = /^(?:\/openapi\/v3)?\/apis\/([^/]+)\/([^/]+)(?:\/|$)/.exec(path) ?? [];
  return registry.remote(group, version);
}
