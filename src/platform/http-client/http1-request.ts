// The head of an HTTP/1.1 request as text. A value that could end a line early is refused. The error does not show the
// value, which may be a secret. Pure.
import { type HttpRequest, TransportError } from "#base/http.ts";

export interface RequestTarget {
  /** Host of the server, as in its URL. */
  readonly host: string;
  /** Prefix of every path: the base URL's path or "". With scheme and host if a proxy fetches. */
  readonly prefix: string;
  /** For the proxy that fetches. */
  readonly proxyAuthorization?: string;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const targetText = /^[\x21-\x7e]+$/;
const valueText = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that the connection sets itself: framing of bodies and reuse of connections. */
const ownNames: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"]);

/** One character per byte. */
export function requestHead(request: HttpRequest, target: RequestTarget): string {
  const { method, headers, body } = request;
  if (!token.test(method)) throw invalid(`invalid method ${JSON.stringify(method)}`);
  const path = targetOf(request, target.prefix);
  if (!targetText.test(path)) throw invalid("invalid character in the request's path or query");
  let head = `${method} ${path} HTTP/1.1\r\n`;
  if (headers.host === undefined) head += `host: ${target.host}\r\n`;
  if (headers["accept-encoding"] === undefined) head += "accept-encoding: identity\r\n";
  if (target.proxyAuthorization !== undefined) head += `proxy-authorization: ${target.proxyAuthorization}\r\n`;
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    if (ownNames.has(name)) continue;
    if (!token.test(name)) throw invalid(`invalid header field name ${JSON.stringify(name)}`);
    if (typeof value === "string") head += headerLine(name, value);
    else for (const one of value) head += headerLine(name, one);
  }
  return `${head}${framing(method, body)}\r\n`;
}

function headerLine(name: string, value: string): string {
  if (!valueText.test(value)) throw invalid(`invalid header field value for ${JSON.stringify(name)}`);
  return `${name}: ${value}\r\n`;
}

/** The path to send. */
export function targetOf(request: HttpRequest, prefix: string): string {
  return request.query === "" ? prefix + request.path : `${prefix}${request.path}?${request.query}`;
}

function framing(method: string, body: HttpRequest["body"]): string {
  switch (body?.kind) {
    case undefined:
      return method === "POST" || method === "PUT" || method === "PATCH" ? "content-length: 0\r\n" : "";
    case "bytes":
      return `content-length: ${body.bytes.length}\r\n`;
    case "stream":
      return "transfer-encoding: chunked\r\n";
    case "object":
    case "events":
      throw invalid(`a body of kind ${body.kind} cannot leave the process`);
  }
}

/** Whether the request may be sent again if the first attempt got no answer. */
// Upstream: net/http/request.go, isReplayable
export function isReplayable({ method, headers, body }: HttpRequest): boolean {
  if (body?.kind === "stream") return false;
  if (method === "GET" || method === "HEAD" || method === "OPTIONS" || method === "TRACE") return true;
  return headers["idempotency-key"] !== undefined || headers["x-idempotency-key"] !== undefined;
}

function invalid(message: string): TransportError {
  return new TransportError("protocol", message);
}
