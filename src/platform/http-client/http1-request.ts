// The head of an HTTP/1.1 request as text. Whatever could end a line early is refused, without showing its value: it
// may be a secret. Pure.
import { type HttpRequest, TransportError } from "#base/http.ts";

export interface RequestTarget {
  /** Of the server, as in its URL. */
  readonly host: string;
  /** Before every path: "" or what the base URL has; with scheme and host when a proxy is to fetch it. */
  readonly prefix: string;
  /** For the proxy that fetches it. */
  readonly proxyAuthorization?: string;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const targetText = /^[\x21-\x7e]+$/;
const valueText = /^[\t\x20-\x7e\x80-\xff]*$/;
/** How bodies are framed and connections kept is not the sender's to say. */
const ownNames: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"]);

/** Every character of it is one byte. */
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

/** The path as sent. */
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

/** May the request be sent a second time when the first one brought no answer? */
// Upstream: net/http/request.go, isReplayable
export function isReplayable({ method, headers, body }: HttpRequest): boolean {
  if (body?.kind === "stream") return false;
  if (method === "GET" || method === "HEAD" || method === "OPTIONS" || method === "TRACE") return true;
  return headers["idempotency-key"] !== undefined || headers["x-idempotency-key"] !== undefined;
}

function invalid(message: string): TransportError {
  return new TransportError("protocol", message);
}
