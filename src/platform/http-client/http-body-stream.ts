// A response body that is read while it still arrives. The number of unread bytes is bounded: above the limit the
// connection pauses. An idle stream holds no buffers.

/** At this many unread bytes the connection pauses. Data already in flight may still be added. */
const UNREAD_BYTES_MAX = 256 * 1024;

export interface BodySource {
  pause(): void;
  resume(): void;
  /** The reader needs no more of the body. */
  leave(): void;
  /** An error that replaces the unread chunks, once there is one: the reason of an abort. */
  refusal(): unknown;
}

type Result = IteratorResult<Uint8Array, undefined>;

export class BodyStream implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: BodySource;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #isPaused = false;
  #end: { readonly error: unknown } | undefined;
  #reader: { resolve(result: Result): void; reject(error: unknown): void } | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  push(bytes: Uint8Array): void {
    if (this.#end !== undefined) return;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      return void reader.resolve({ done: false, value: bytes });
    }
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
    if (this.#unreadBytes < UNREAD_BYTES_MAX || this.#isPaused) return;
    this.#isPaused = true;
    this.#source.pause();
  }

  /** Ends the stream. An error also drops the unread chunks. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    if (error !== undefined) this.#unread = [];
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#reader = undefined;
    if (error === undefined) reader.resolve(done);
    else reader.reject(error);
  }

  next(): Promise<Result> {
    if (this.#reader !== undefined) return Promise.reject(new Error("a body can have only one reader"));
    const value = this.#unread.shift();
    if (value !== undefined) {
      const refusal = this.#source.refusal();
      if (refusal !== undefined) return Promise.reject(refusal);
      this.#unreadBytes -= value.length;
      if (this.#isPaused && this.#unread.length === 0) {
        this.#isPaused = false;
        this.#source.resume();
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.#end === undefined) return new Promise((resolve, reject) => (this.#reader = { resolve, reject }));
    return this.#end.error === undefined ? Promise.resolve(done) : Promise.reject(this.#end.error);
  }

  async return(): Promise<Result> {
    this.#unread = [];
    if (this.#end === undefined) {
      this.end();
      this.#source.leave();
    }
    return done;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const done: Result = { done: true, value: undefined };
