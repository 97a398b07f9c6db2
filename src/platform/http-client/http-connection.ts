// One HTTP/1.1 exchange after another on one socket. Nothing is written that the request's guard did not allow just
// before.
import type { HttpRequest, HttpResponse } from "#base/http.ts";
import { BodyStream } from "./http-body-stream.ts";
import { exchangeError } from "./http-errors.ts";
import { AnswerParser } from "./http1-answer.ts";
import type { AnswerHead } from "./http1-answer-head.ts";
import { type Dial, resetError, type Socket, type SocketOwner } from "./socket.ts";

/** Answers up to this size whose length is known are handed over in one piece. */
const WHOLE_ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** Request bodies up to this size leave with the head: one TLS record, one system call. Others leave in such slices. */
const SLICE_BYTES = 16 * 1024;

/** Where connections are between exchanges. */
export interface ConnectionHome {
  /** Before the path in messages. */
  readonly origin: string;
  /** True: it keeps the connection. */
  onIdle(connection: Connection): boolean;
  /** It is closed. */
  onGone(connection: Connection): void;
}

class Exchange {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  head: AnswerHead | undefined = undefined;
  /** The answer's body so far, unless it is handed over as it comes. */
  readonly parts: Uint8Array[] = [];
  stream: BodyStream | undefined = undefined;
  isSent = false;
  /** Ends the source of the request's body. */
  stopBody: (() => void) | undefined = undefined;

  constructor(
    request: HttpRequest,
    signal: AbortSignal,
    resolve: (response: HttpResponse) => void,
    reject: (error: unknown) => void,
    onAbort: () => void,
  ) {
    this.request = request;
    this.signal = signal;
    this.resolve = resolve;
    this.reject = reject;
    this.onAbort = onAbort;
    signal.addEventListener("abort", onAbort, { once: true });
  }
}

export class Connection implements SocketOwner {
  readonly dial: Dial;
  readonly #home: ConnectionHome;
  readonly #parser: AnswerParser;
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #onDrained: (() => void) | undefined;
  #isClosed = false;
  #hasAnswer = false;
  /** When its exchange began or, while it has none, the last one ended; its home writes and reads it. */
  sinceMs = 0;

  constructor(home: ConnectionHome, dial: Dial) {
    this.#home = home;
    this.dial = dial;
    this.#parser = new AnswerParser({
      onHead: (head) => this.#onHead(head),
      onBody: (bytes) => this.#onBody(bytes),
      onEnd: (hasMore) => this.#onEnd(hasMore),
    });
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#socket = await this.dial(this, signal);
  }

  /** Ends it, and whatever is under way on it. */
  cut(error: unknown): void {
    this.#fail(this.#toError(error));
  }

  /** The request whose answer has not begun yet. */
  get unanswered(): HttpRequest | undefined {
    return this.#hasAnswer ? undefined : this.#exchange?.request;
  }

  ports(): readonly [number, number] {
    return this.#socket?.ports() ?? [0, 0];
  }

  /** The server closed it instead of answering: perhaps it had done so before the request was sent. */
  get wasClosedUnanswered(): boolean {
    return this.#isClosed && !this.#hasAnswer;
  }

  /** Writes at once. Only while no other exchange is under way. */
  exchange(request: HttpRequest, head: string, signal: AbortSignal): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(request, signal, resolve, reject, () => this.#fail(signal.reason));
      this.#exchange = exchange;
      this.#hasAnswer = false;
      if (this.#isClosed) return void this.cut(resetError("the connection was closed"));
      this.#parser.begin(request.method);
      this.#send(exchange, head);
    });
  }

  setBusy(isBusy: boolean): void {
    this.#socket?.setBusy(isBusy);
  }

  /** For one that is idle. */
  close(): void {
    this.#isClosed = true;
    this.#socket?.destroy();
    this.#home.onGone(this);
  }

  onData(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#hasAnswer = true;
    try {
      this.#parser.feed(bytes);
    } catch (error) {
      this.cut(error);
    }
  }

  onDrain(): void {
    this.#onDrained?.();
  }

  onClose(error: unknown): void {
    if (this.#isClosed) return;
    if (error === undefined && this.#parser.finish()) return;
    const when = this.#hasAnswer ? "in the middle of the answer" : "before an answer came";
    this.cut(error ?? resetError(`the connection was closed ${when}`));
  }

  #toError(error: unknown): unknown {
    const exchange = this.#exchange;
    return exchange && exchangeError(error, exchange.request, this.#home.origin, exchange.signal);
  }

  #onHead(head: AnswerHead): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    exchange.head = head;
    const { status, headers, length } = head;
    if (exchange.request.whole || (length !== undefined && length <= WHOLE_ANSWER_BYTES_MAX)) return;
    const { signal } = exchange;
    const ifCurrent = (act: () => void) => (): void => (this.#exchange === exchange ? act() : undefined);
    exchange.stream = new BodyStream({
      pause: () => this.#socket?.pause(),
      resume: ifCurrent(() => this.#socket?.resume()),
      leave: ifCurrent(() => this.#fail(undefined)),
      refusal: () => (signal.aborted ? signal.reason : undefined),
    });
    exchange.resolve({ status, headers, body: { kind: "stream", chunks: exchange.stream } });
  }

  #onBody(bytes: Uint8Array): void {
    if (this.#exchange?.stream) this.#exchange.stream.push(bytes);
    else this.#exchange?.parts.push(bytes);
  }

  #onEnd(hasMore: boolean): void {
    const exchange = this.#exchange;
    if (exchange?.head === undefined) return;
    const { status, headers, isReusable } = exchange.head;
    this.#letGo(exchange);
    // The last bytes may have made the reader's queue full.
    if (exchange.stream) this.#socket?.resume();
    const isKept = isReusable && exchange.isSent && !hasMore && this.#home.onIdle(this);
    if (!isKept) this.close();
    if (exchange.stream) exchange.stream.end();
    else exchange.resolve({ status, headers, body: { kind: "bytes", bytes: joined(exchange.parts) } });
  }

  /** The connection is of no use any more. */
  #fail(error: unknown): void {
    const exchange = this.#exchange;
    this.close();
    if (exchange === undefined) return;
    this.#letGo(exchange);
    if (exchange.stream) exchange.stream.end(error);
    else exchange.reject(error);
  }

  #letGo(exchange: Exchange): void {
    this.#exchange = undefined;
    exchange.signal.removeEventListener("abort", exchange.onAbort);
    exchange.stopBody?.();
    this.#onDrained?.();
  }

  #send(exchange: Exchange, head: string): void {
    const { body } = exchange.request;
    if (body?.kind === "stream") return void this.#sendParts(exchange, head, chunked(body.chunks));
    if (body?.kind === "bytes" && body.bytes.length > SLICE_BYTES) {
      return void this.#sendParts(exchange, head, slices(body.bytes));
    }
    exchange.isSent = true;
    this.#socket?.write(messageOf(head, body?.kind === "bytes" ? body.bytes : undefined));
  }

  async #sendParts(exchange: Exchange, head: string, parts: AsyncGenerator<Uint8Array>): Promise<void> {
    exchange.stopBody = () => void parts.return(undefined).catch(() => undefined);
    try {
      let hasRoom = this.#socket?.write(messageOf(head, undefined));
      for (;;) {
        if (!hasRoom) await new Promise<void>((resolve) => (this.#onDrained = resolve));
        const { done, value } = await parts.next();
        if (this.#exchange !== exchange) return;
        if (done) break;
        try {
          exchange.request.guard?.();
        } catch (error) {
          return this.#fail(error);
        }
        hasRoom = this.#socket?.write(value);
      }
      exchange.isSent = true;
    } catch (error) {
      if (this.#exchange === exchange) this.cut(error);
    }
  }
}

async function* slices(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

async function* chunked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    // An empty one would be the end.
    if (chunk.length > 0) yield Buffer.concat([messageOf(`${chunk.length.toString(16)}\r\n`, chunk), CRLF]);
  }
  yield messageOf("0\r\n\r\n", undefined);
}

const CRLF = Buffer.from("\r\n");

/** The text has one byte per character. */
function messageOf(text: string, bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) return Buffer.from(text, "latin1");
  const message = Buffer.allocUnsafe(text.length + bytes.length);
  message.write(text, "latin1");
  message.set(bytes, text.length);
  return message;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length > 1) return Buffer.concat(parts);
  return parts[0] ?? new Uint8Array(0);
}
