// Reads HTTP/1.1 answers from bytes as they come, cut anywhere. Bodies are handed over without copying; pieces of a
// chunked one that came together are moved together first, which is cheaper than to hand over each. Pure.
import { type HttpHeaders, TransportError } from "#base/http.ts";

export interface AnswerHead {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Of the body; undefined when only its end will tell. */
  readonly length: number | undefined;
  /** Whether the connection may be used again after this answer. */
  readonly isReusable: boolean;
}

export interface AnswerSink {
  /** The final answer; interim ones (1xx) are passed over. */
  onHead(head: AnswerHead): void;
  onBody(bytes: Uint8Array): void;
  /** True: bytes came that belong to no answer. */
  onEnd(hasMore: boolean): void;
}

/** Lines before the body, those of interim answers and trailers included. */
export const HEAD_BYTES_MAX: number = 256 * 1024;
// Upstream: net/http/internal/chunked.go, maxLineLength
const CHUNK_LINE_BYTES_MAX = 4096;

const LF = 10;
const CR = 13;
const SEMICOLON = 0x3b;

type State = "idle" | "head" | "length" | "close" | ChunkState;
type ChunkState = "size" | "extension" | "size-end" | "data" | "data-cr" | "data-lf" | "line" | "trailer" | "last-lf";

export class AnswerParser {
  readonly #sink: AnswerSink;
  #state: State = "idle";
  #method = "";
  /** A head that is not complete. */
  #pending: Buffer | undefined;
  /** Bytes of heads and trailers so far, or of the line before a chunk. */
  #lineBytes = 0;
  /** Of the body or of the chunk; what is still to come. */
  #left = 0;
  #digits = 0;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** An answer to this method comes next. */
  begin(method: string): void {
    this.#method = method;
    this.#state = "head";
    this.#lineBytes = 0;
  }

  feed(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    switch (this.#state) {
      case "idle":
        throw new TransportError("protocol", "the server sent something it was not asked for");
      case "head":
        return void this.#feedHead(bytes);
      default:
        this.#feedBody(bytes, 0);
    }
  }

  /** The server has ended its side. True: that was the end of the answer. */
  finish(): boolean {
    if (this.#state !== "close") return false;
    this.#end(false);
    return true;
  }

  #feedHead(bytes: Uint8Array): void {
    const known = this.#pending?.length ?? 0;
    const buffer = this.#pending === undefined ? bufferOf(bytes) : Buffer.concat([this.#pending, bytes]);
    this.#pending = undefined;
    for (let at = 0, from = Math.max(0, known - 3); ; from = at) {
      const end = buffer.indexOf("\r\n\r\n", from, "latin1");
      if (this.#lineBytes + (end < 0 ? buffer.length : end) - at > HEAD_BYTES_MAX) {
        throw malformed(`the head of the answer exceeds ${HEAD_BYTES_MAX} bytes`);
      }
      if (end < 0) {
        checkBeginning(buffer, at, Math.max(at, known - 1));
        this.#pending = at === 0 ? buffer : buffer.subarray(at);
        return;
      }
      const head = parseHead(buffer.toString("latin1", at, end), this.#method);
      this.#lineBytes += end + 4 - at;
      at = end + 4;
      if (head.status >= 200) return void this.#beginBody(head, buffer, at);
      if (head.status === 101) throw malformed("the server switched to a protocol that it was not asked for");
    }
  }

  #beginBody(head: AnswerHead, buffer: Buffer, at: number): void {
    const hasChunks = head.headers["transfer-encoding"] !== undefined;
    this.#left = head.length ?? 0;
    this.#digits = 0;
    if (head.length !== undefined) this.#state = "length";
    else this.#state = hasChunks ? "size" : "close";
    this.#sink.onHead(head);
    if (head.length === 0) this.#end(at < buffer.length);
    else if (at < buffer.length) this.#feedBody(buffer, at);
  }

  #feedBody(bytes: Uint8Array, from: number): void {
    if (this.#state === "close") return void this.#sink.onBody(from === 0 ? bytes : bytes.subarray(from));
    if (this.#state === "length") {
      const end = Math.min(bytes.length, from + this.#left);
      this.#left -= end - from;
      this.#sink.onBody(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end));
      if (this.#left === 0) this.#end(end < bytes.length);
      return;
    }
    this.#feedChunks(bytes, from);
  }

  #feedChunks(bytes: Uint8Array, from: number): void {
    /** Where the data of these chunks lie, moved together. */
    let start = 0;
    let end = 0;
    for (let at = from; at < bytes.length; ) {
      if (this.#state !== "data") {
        const isLast = this.#chunkByte(bytes[at++] as number);
        if (!isLast) continue;
        if (end > start) this.#sink.onBody(bytes.subarray(start, end));
        return void this.#end(at < bytes.length);
      }
      const size = Math.min(this.#left, bytes.length - at);
      if (end === start) {
        start = at;
        end = at + size;
      } else {
        bytes.copyWithin(end, at, at + size);
        end += size;
      }
      at += size;
      this.#left -= size;
      if (this.#left === 0) this.#state = "data-cr";
    }
    if (end > start) this.#sink.onBody(bytes.subarray(start, end));
  }

  /** A byte between the data of chunks. True: it was the last of the answer. */
  #chunkByte(byte: number): boolean {
    switch (this.#state) {
      case "size": {
        const digit = hexDigit(byte);
        if (digit < 0) {
          if (this.#digits === 0) throw malformed("a chunk of the answer has no size");
          this.#lineBytes = 0;
          return this.#extensionByte(byte);
        }
        // 13 digits are 52 bits.
        if (++this.#digits > 13) throw malformed("a chunk of the answer is too large");
        this.#left = this.#left * 16 + digit;
        return false;
      }
      case "extension":
        return this.#extensionByte(byte);
      case "size-end":
        expect(byte, LF);
        this.#digits = 0;
        this.#lineBytes = 0;
        this.#state = this.#left === 0 ? "line" : "data";
        return false;
      case "data-cr":
        expect(byte, CR);
        this.#state = "data-lf";
        return false;
      case "data-lf":
        expect(byte, LF);
        this.#state = "size";
        return false;
      case "line":
        if (byte === LF) throw malformed("the chunks of the answer are malformed");
        this.#state = byte === CR ? "last-lf" : "trailer";
        return false;
      case "trailer":
        if (++this.#lineBytes > HEAD_BYTES_MAX) throw malformed(`the trailers exceed ${HEAD_BYTES_MAX} bytes`);
        if (byte === LF) this.#state = "line";
        return false;
      default:
        expect(byte, LF);
        return true;
    }
  }

  #extensionByte(byte: number): boolean {
    if (byte === LF || (this.#state === "size" && byte !== CR && byte !== SEMICOLON && !isBlank(byte))) {
      throw malformed("the size of a chunk of the answer is not a number");
    }
    if (++this.#lineBytes > CHUNK_LINE_BYTES_MAX) throw malformed("a line before a chunk of the answer is too long");
    this.#state = byte === CR ? "size-end" : "extension";
    return false;
  }

  #end(hasMore: boolean): void {
    this.#state = "idle";
    this.#sink.onEnd(hasMore);
  }
}

const START = Buffer.from("HTTP/1.");

/** Of a head that is not complete: is it one at all? Otherwise its end may never come. */
function checkBeginning(buffer: Buffer, at: number, from: number): void {
  const size = Math.min(START.length, buffer.length - at);
  if (buffer.compare(START, 0, size, at, at + size) !== 0) {
    throw malformed(`malformed HTTP response ${JSON.stringify(buffer.toString("latin1", at, at + 40))}`);
  }
  for (let lf = buffer.indexOf(LF, from); lf >= 0; lf = buffer.indexOf(LF, lf + 1)) {
    if (buffer[lf - 1] !== CR) throw malformed("a line of the answer's head does not end with CR LF");
  }
}

const statusLine = /HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [^\r\n\0]*)?(?:\r\n|$)/y;
const headerLine = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\r\n\0]*)(?:\r\n|$)/y;

/** Names as they are written, in lower case: an answer mostly has those of the one before. */
const lowerCase = new Map<string, string>();
const LOWER_CASE_MAX = 256;

/** The lines before the empty one. */
export function parseHead(text: string, method: string): AnswerHead {
  // By index: taking a match apart by pattern costs more than the match.
  const first = matchAt(statusLine, text, 0, "response");
  const status = Number(first[2]);
  // Without a prototype: a header may be called "constructor".
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let at = statusLine.lastIndex; at < text.length; at = headerLine.lastIndex) {
    const match = matchAt(headerLine, text, at, "header");
    addHeader(headers, match[1] as string, match[2] as string);
  }
  const length = bodyLength(headers, status, method);
  return { status, headers, length, isReusable: isReusable(headers, first[1] === "0", length) };
}

function isReusable(headers: HttpHeaders, isOld: boolean, length: number | undefined): boolean {
  const { connection, "transfer-encoding": encoding, "content-length": announced } = headers;
  // A body that ends with the connection, or two ways to tell its end.
  if (length === undefined && (encoding === undefined || announced !== undefined)) return false;
  if (connection === undefined) return !isOld;
  const options = String(connection).toLowerCase();
  return isOld ? options.includes("keep-alive") : !/(^|,)\s*close\s*(,|$)/.test(options);
}

function matchAt(pattern: RegExp, text: string, at: number, what: string): RegExpExecArray {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) throw malformed(`malformed HTTP ${what} ${JSON.stringify(text.slice(at, at + 40))}`);
  return match;
}

function addHeader(headers: Record<string, string | string[]>, name: string, text: string): void {
  let key = lowerCase.get(name);
  if (key === undefined) {
    key = name.toLowerCase();
    if (lowerCase.size < LOWER_CASE_MAX) lowerCase.set(name, key);
  }
  const value = text.endsWith(" ") || text.endsWith("\t") ? text.replace(/[ \t]+$/, "") : text;
  const known = headers[key];
  if (known === undefined) headers[key] = key === "set-cookie" ? [value] : value;
  else if (typeof known === "string") headers[key] = [known, value];
  else known.push(value);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Undefined when only its end will tell. */
// Upstream: net/http/transfer.go, readTransfer
function bodyLength(headers: HttpHeaders, status: number, method: string): number | undefined {
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return 0;
  if (method === "CONNECT" && status < 300) return 0;
  const { "transfer-encoding": encoding, "content-length": length } = headers;
  if (encoding !== undefined) {
    if (typeof encoding === "string" && encoding.toLowerCase() === "chunked") return undefined;
    throw malformed(`unsupported transfer encoding ${JSON.stringify(encoding)}`);
  }
  if (length === undefined) return undefined;
  const value = typeof length === "string" ? length : (length[0] as string);
  const isUnclear = typeof length !== "string" && length.some((other) => other !== value);
  if (isUnclear || !/^[0-9]{1,15}$/.test(value)) throw malformed(`bad Content-Length ${JSON.stringify(length)}`);
  return Number(value);
}

function malformed(message: string): TransportError {
  return new TransportError("protocol", message);
}

function expect(byte: number, wanted: number): void {
  if (byte !== wanted) throw malformed("the chunks of the answer are malformed");
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
