// HTTP messages as plain data, and the single interface between clients and servers. The embedded API server, a real
// kube-apiserver and a faulty network are all Transports.

/** Header names are lower case. A header that occurs more than once is an array. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * A message body.
 * - bytes: the whole body, in one piece.
 * - stream: chunks as they arrive; iterating throws when the stream is cut or reset. Ending the iteration early
 *   (return) frees the connection.
 * - object / events: only between ends in one process over the direct transport: the decoded JSON value, deeply frozen,
 *   and the decoded watch events in batches. They save encoding and parsing on both ends. Only requests with `direct`
 *   may get them.
 */
export type HttpBody =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "stream"; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly kind: "object"; readonly value: unknown }
  | { readonly kind: "events"; readonly batches: AsyncIterable<readonly unknown[]> };

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "CONNECT" | (string & {});
  /** Absolute path, percent-encoded as on the wire, without the query. */
  readonly path: string;
  /** Query string without the leading "?"; empty when there is none. */
  readonly query: string;
  readonly headers: HttpHeaders;
  readonly body?: HttpBody;
  /**
   * The sender reads the whole answer before it continues, so the answer may come in one piece, however long it is.
   */
  readonly whole?: boolean;
  /** A transport that limits concurrent exchanges does not queue this one behind others. */
  readonly urgent?: boolean;
  /** Called just before the request is sent, after all waiting. It throws to hold the request back. */
  readonly guard?: () => void;
  /** The sender accepts object and events bodies. */
  readonly direct?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: HttpBody;
}

export interface Transport {
  /**
   * Sends one request. Rejects when no answer came (connection refused, reset, TLS); otherwise resolves with any
   * status. Aborting the signal ends the exchange at once, body included.
   */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
}

/** Why an exchange brought no complete answer. Reflectors treat "refused" like 429: back off, keep the cache. */
export type TransportFailure = "refused" | "reset" | "timeout" | "tls" | "dns" | "protocol" | "other";

export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly failure: TransportFailure;
  constructor(failure: TransportFailure, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.failure = failure;
  }
}
