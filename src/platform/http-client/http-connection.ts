// One HTTP/1.1 exchange after another on one socket. The request's guard runs immediately before anything is written.
import type { HttpRequest, HttpResponse } from "#base/http.ts";
import { BodyStream } from "./http-body-stream.ts";
import { exchangeError } from "./http-errors.ts";
import { AnswerParser } from "./http1-answer.ts";
import type { AnswerHead } from "./http1-answer-head.ts";
import { type Dial, resetError, type Socket, type SocketOwner } from "./socket.ts";

/** Answers up to this size, if their length is known, are delivered in one piece. */
const WHOLE_ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/**
 * A request body up to this size is sent with the head, in one TLS record and one system call. Larger bodies are sent
 * in slices of this size.
 */
const SLICE_BYTES = 16 * 1024;

/** Keeps the connection between exchanges. */
export interface ConnectionHome {
  /** Prefix of the path in messages. */
  readonly origin: string;
  /** True if the connection was kept. */
  onIdle(connection: Connection): boolean;
  /** The connection was closed. */
  onGone(connection: Connection): void;
}

class Exchange {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  head: AnswerHead | undefined = undefined;
  /** The answer's body so far, unless it is streamed. */
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
  /** Start of the current exchange, or end of the last one. Written and read by the home. */
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

  /** Closes the connection and fails its exchange. */
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

  /** The server closed the connection instead of answering, perhaps before the request was sent. */
  get wasClosedUnanswered(): boolean {
    return this.#isClosed && !this.#hasAnswer;
  }

  /** Writes at once. Call only while no exchange is under way. */
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

  /** For an idle connection. */
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
    // The last bytes may have paused the socket.
    if (exchange.stream) this.#socket?.resume();
    const isKept = isReusable && exchange.isSent && !hasMore && this.#home.onIdle(this);
    if (!isKept) this.close();
    if (exchange.stream) exchange.stream.end();
    else exchange.resolve({ status, headers, body: { kind: "bytes", bytes: joined(exchange.parts) } });
  }

  /** Ends the connection after an error. */
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
    // An empty chunk would end the body.
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
