// Parses HTTP/1.1 answers from bytes that arrive in pieces, cut anywhere. Bodies are passed on without copying. Chunks
// that arrive together are moved together first, which is cheaper than passing on each of them. Pure.
import { type AnswerHead, isBlank, isTrailer, malformed, parseHead, quoted } from "./http1-answer-head.ts";

export interface AnswerSink {
  /** The final answer. Interim answers (1xx) are skipped. */
  onHead(head: AnswerHead): void;
  onBody(bytes: Uint8Array): void;
  /** hasMore: the bytes that follow belong to no answer. */
  onEnd(hasMore: boolean): void;
}

/** Limit of the lines before the body, including interim answers and trailers. */
export const HEAD_BYTES_MAX: number = 256 * 1024;
// Upstream: net/http/internal/chunked.go, maxLineLength
const CHUNK_LINE_BYTES_MAX = 4096;

const LF = 10;
const CR = 13;
const SEMICOLON = 0x3b;

type State = "idle" | "head" | "length" | "close" | ChunkState;
type ChunkState =
  | ("size" | "blank" | "extension" | "size-end")
  | ("data" | "data-cr" | "data-lf")
  | ("line" | "trailer" | "last-lf");

export class AnswerParser {
  readonly #sink: AnswerSink;
  #state: State = "idle";
  #method = "";
  /** An incomplete head, with room for more. */
  #pending: Buffer | undefined;
  #pendingBytes = 0;
  /** Bytes of heads and trailers so far, or of the line before a chunk. */
  #lineBytes = 0;
  /** Remaining bytes of the body or of the chunk. */
  #left = 0;
  #digits = 0;
  /** The part of a trailer line that has arrived. */
  #trailer = "";

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** Expects an answer to a request of this method. */
  begin(method: string): void {
    this.#method = method;
    this.#state = "head";
    this.#lineBytes = 0;
  }

  feed(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    switch (this.#state) {
      case "idle":
        throw malformed("the server sent something it was not asked for");
      case "head":
        return void this.#feedHead(bytes);
      default:
        this.#feedBody(bytes, 0);
    }
  }

  /** The server ended its side. True if that ended the answer. */
  finish(): boolean {
    if (this.#state !== "close") return false;
    this.#end(false);
    return true;
  }

  #feedHead(bytes: Uint8Array): void {
    const known = this.#pendingBytes;
    const buffer = this.#withPending(bytes);
    for (let at = 0, from = Math.max(0, known - 3); ; from = at) {
      const end = buffer.indexOf("\r\n\r\n", from, "latin1");
      if (this.#lineBytes + (end < 0 ? buffer.length : end) - at > HEAD_BYTES_MAX) {
        throw malformed(`the head of the answer exceeds ${HEAD_BYTES_MAX} bytes`);
      }
      if (end < 0) {
        checkBeginning(buffer, at, Math.max(at, known - 1));
        if (at > 0 || known === 0) this.#pending = buffer.subarray(at);
        this.#pendingBytes = buffer.length - at;
        return;
      }
      const head = parseHead(buffer.toString("latin1", at, end), this.#method);
      this.#lineBytes += end + 4 - at;
      at = end + 4;
      if (head.status >= 200) {
        this.#pending = undefined;
        this.#pendingBytes = 0;
        return void this.#beginBody(head, buffer, at);
      }
      if (head.status === 101) throw malformed("the server switched to a protocol that it was not asked for");
    }
  }

  /** Copies each byte only a few times, however small the pieces are. */
  #withPending(bytes: Uint8Array): Buffer {
    if (this.#pending === undefined) return bufferOf(bytes);
    const known = this.#pendingBytes;
    const size = known + bytes.length;
    if (size > this.#pending.length) {
      const larger = Buffer.allocUnsafeSlow(2 * size);
      larger.set(this.#pending.subarray(0, known));
      this.#pending = larger;
    }
    this.#pending.set(bytes, known);
    return this.#pending.subarray(0, size);
  }

  #beginBody(head: AnswerHead, buffer: Buffer, at: number): void {
    this.#left = head.length ?? 0;
    this.#digits = 0;
    if (head.length !== undefined) this.#state = "length";
    else this.#state = head.isChunked ? "size" : "close";
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
    /** Where the moved data of these chunks begins. */
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

  /** Handles a byte between the data of two chunks. True if it ended the answer. */
  #chunkByte(byte: number): boolean {
    switch (this.#state) {
      case "size": {
        const digit = hexDigit(byte);
        if (digit < 0) {
          if (this.#digits === 0) throw malformed("a chunk of the answer has no size");
          this.#lineBytes = 0;
          return this.#afterSize(byte);
        }
        // 13 digits are 52 bits.
        if (++this.#digits > 13) throw malformed("a chunk of the answer is too large");
        this.#left = this.#left * 16 + digit;
        return false;
      }
      case "blank":
      case "extension":
        return this.#afterSize(byte);
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
        this.#state = byte === CR ? "last-lf" : "trailer";
        return byte === CR ? false : this.#trailerByte(byte);
      case "trailer":
        return this.#trailerByte(byte);
      default:
        expect(byte, LF);
        return true;
    }
  }

  /** Blanks or a chunk extension, and the end of the line. */
  #afterSize(byte: number): boolean {
    const isPart = this.#state === "extension" ? byte !== LF : byte === CR || isBlank(byte);
    if (!isPart && (this.#state !== "size" || byte !== SEMICOLON)) {
      throw malformed("the size of a chunk of the answer is not a number");
    }
    if (++this.#lineBytes > CHUNK_LINE_BYTES_MAX) throw malformed("a line before a chunk of the answer is too long");
    if (byte === CR) this.#state = "size-end";
    else if (this.#state === "size") this.#state = byte === SEMICOLON ? "extension" : "blank";
    return false;
  }

  /** Trailers are checked for their form and then ignored. */
  #trailerByte(byte: number): boolean {
    if (++this.#lineBytes > HEAD_BYTES_MAX) throw malformed(`the trailers exceed ${HEAD_BYTES_MAX} bytes`);
    this.#trailer += String.fromCharCode(byte);
    if (byte !== LF) return false;
    if (!isTrailer(this.#trailer)) throw malformed(`malformed HTTP trailer ${quoted(this.#trailer)}`);
    this.#trailer = "";
    this.#state = "line";
    return false;
  }

  #end(hasMore: boolean): void {
    this.#state = "idle";
    this.#sink.onEnd(hasMore);
  }
}

const START = Buffer.from("HTTP/1.");

/** Checks an incomplete head for its form: otherwise its end may never come. */
function checkBeginning(buffer: Buffer, at: number, from: number): void {
  const size = Math.min(START.length, buffer.length - at);
  if (buffer.compare(START, 0, size, at, at + size) !== 0) {
    throw malformed(`malformed HTTP response ${quoted(buffer.toString("latin1", at, at + 40))}`);
  }
  for (let lf = buffer.indexOf(LF, from); lf >= 0; lf = buffer.indexOf(LF, lf + 1)) {
    if (buffer[lf - 1] !== CR) throw malformed("a line of the answer's head does not end with CR LF");
  }
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
