// The head of an HTTP/1.1 answer: status, headers, and how to find the end of the body. Stricter than Go where that
// costs nothing: no folded lines, no bare line feeds, no blanks before a colon. Pure.
import { type HttpHeaders, TransportError } from "#base/http.ts";

export interface AnswerHead {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Length of the body; undefined if it is not known in advance. */
  readonly length: number | undefined;
  /** The body ends with the last chunk; otherwise, without a length, with the connection. */
  readonly isChunked: boolean;
  /** Whether the connection may be used again after this answer. */
  readonly isReusable: boolean;
}

const statusLine = /HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [^\r\n\0]*)?(?:\r\n|$)/y;
// Two adjacent patterns that both match blanks would take quadratic time on long runs of them.
const headerLine = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?([\t\x20-\x7e\x80-\xff]*)(?:\r\n|$)/y;

/** Header names in lower case, by spelling: consecutive answers mostly share their names. */
const lowerCase = new Map<string, string>();
const LOWER_CASE_MAX = 256;
const QUOTED_MAX = 60;

/** text: the lines before the empty one. */
// Upstream: net/http/transfer.go, readTransfer
export function parseHead(text: string, method: string): AnswerHead {
  // By index: destructuring a match costs more than the match.
  const first = matchAt(statusLine, text, 0, "response");
  const status = Number(first[2]);
  const isOld = first[1] === "0";
  // No prototype: a header may be called "constructor".
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let at = statusLine.lastIndex; at < text.length; at = headerLine.lastIndex) {
    const match = matchAt(headerLine, text, at, "header");
    addHeader(headers, match[1] as string, fromUtf8(match[2] as string));
  }
  const isChunked = !isOld && saysChunked(headers["transfer-encoding"]);
  const announced = contentLength(headers["content-length"]);
  const length = isBodiless(status, method) ? 0 : isChunked ? undefined : announced;
  // The end of the body is unambiguous and does not depend on the end of the connection.
  const isClear = length !== undefined || (isChunked && announced === undefined);
  return { status, headers, length, isChunked, isReusable: isClear && isKept(headers.connection, isOld) };
}

const BEYOND_ASCII = /[^\p{ASCII}]/u;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes a string of one character per byte as UTF-8, which Go servers write. Invalid UTF-8 stays unchanged. */
export function fromUtf8(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value;
  try {
    return strictUtf8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

function isBodiless(status: number, method: string): boolean {
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return true;
  return method === "CONNECT" && status < 300;
}

function saysChunked(encoding: string | readonly string[] | undefined): boolean {
  if (encoding === undefined) return false;
  if (typeof encoding === "string" && encoding.toLowerCase() === "chunked") return true;
  throw malformed(`unsupported transfer encoding ${quoted(encoding)}`);
}

function contentLength(lengths: string | readonly string[] | undefined): number | undefined {
  if (lengths === undefined) return undefined;
  const value = typeof lengths === "string" ? lengths : (lengths[0] as string);
  const isUnclear = typeof lengths !== "string" && lengths.some((other) => other !== value);
  if (isUnclear || !/^[0-9]{1,15}$/.test(value)) throw malformed(`bad Content-Length ${quoted(lengths)}`);
  return Number(value);
}

function isKept(connection: string | readonly string[] | undefined, isOld: boolean): boolean {
  if (connection === undefined) return !isOld;
  const options = String(connection).toLowerCase();
  return isOld ? options.includes("keep-alive") : !/(^|,)\s*close\s*(,|$)/.test(options);
}

/** Whether the text is a trailer line, with its line end. */
export function isTrailer(line: string): boolean {
  headerLine.lastIndex = 0;
  return headerLine.test(line) && headerLine.lastIndex === line.length;
}

function matchAt(pattern: RegExp, text: string, at: number, what: string): RegExpExecArray {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) throw malformed(`malformed HTTP ${what} ${quoted(text.slice(at, at + 40))}`);
  return match;
}

function addHeader(headers: Record<string, string | string[]>, name: string, text: string): void {
  let key = lowerCase.get(name);
  if (key === undefined) {
    key = name.toLowerCase();
    if (lowerCase.size < LOWER_CASE_MAX) lowerCase.set(name, key);
  }
  const value = withoutBlanks(text);
  const known = headers[key];
  if (known === undefined) headers[key] = key === "set-cookie" ? [value] : value;
  else if (typeof known === "string") headers[key] = [known, value];
  else known.push(value);
}

function withoutBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (from < to && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Shows the beginning only. */
export function quoted(value: unknown): string {
  return JSON.stringify(value).slice(0, QUOTED_MAX);
}

export function malformed(message: string): TransportError {
  return new TransportError("protocol", message);
}
