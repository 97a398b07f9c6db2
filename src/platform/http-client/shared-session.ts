// The TLS session that connections to one server share. A manager opens a connection for each watch, and the signature of
// a full handshake takes the server longer than everything else about a connection.

/** A resumed session does not verify the server's certificate again, so it is resumed for a short time only. */
const SESSION_MS_MAX = 60_000;

/** For one server, one set of authorities and one client certificate. */
export class SharedSession {
  readonly #nowMs: () => number;
  #session: Uint8Array | undefined;
  #untilMs = 0;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** The session to resume, if there is one. */
  get current(): Uint8Array | undefined {
    return this.#nowMs() < this.#untilMs ? this.#session : undefined;
  }

  /** Call only with the session of a connection that was verified in full. */
  keep(session: Uint8Array | undefined): void {
    this.#session = session;
    this.#untilMs = this.#nowMs() + SESSION_MS_MAX;
  }
}
