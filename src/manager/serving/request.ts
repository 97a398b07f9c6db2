// Types of the daemon's port: requests with their peer, users, and handlers as functions.

import type { HttpRequest, HttpResponse } from "#base/http.ts";

/** The client certificate of a connection, checked against our CA bundles. */
export interface PeerIdentity {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The UIDs in the certificate's subject. */
  readonly uids: readonly string[];
  /** Names of the bundles that verify the certificate; empty: none does. */
  readonly signedBy: readonly string[];
  /** Why the other bundles do not verify it, by their names. */
  readonly problems: Readonly<Record<string, string>>;
  /** Serial number and key identifiers, as printed in errors. */
  readonly identifier: string;
  readonly notAfterMs: number;
  /** SHA-256 of the certificate, in hexadecimal. */
  readonly fingerprint: string;
}

export interface DaemonRequest extends HttpRequest {
  /** The decoded path, for comparisons. */
  readonly path: string;
  /** Path and query as the client wrote them. */
  readonly uri: string;
  readonly isHttp2?: boolean;
  readonly peer: { readonly address: string; readonly certificate?: PeerIdentity };
}

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type Handler = (request: DaemonRequest, signal: AbortSignal) => Promise<HttpResponse> | HttpResponse;

/** All values of a query parameter; a bare name has the value "". */
export function queryValues({ query }: HttpRequest, name: string): readonly string[] {
  return new URLSearchParams(query).getAll(name);
}
