// Sockets on Bun.connect, which cost a sixth less CPU than node:tls and half the memory. Bun verifies chain and name of
// the certificate itself, tries all addresses of a host, and allocates a new buffer for each chunk.
import { isIP } from "node:net";
import { assert } from "#base/assert.ts";
import { certificateContent } from "../certificates/certificate-content.ts";
import { nameError } from "../certificates/server-name.ts";
import { SharedSession } from "./shared-session.ts";
import {
  ALPN,
  type Dial,
  type DialLimits,
  dialLimits,
  KEEP_ALIVE_MS,
  resetError,
  type Socket,
  type SocketOwner,
  type SocketTarget,
  type TlsTarget,
  timeoutError,
} from "./socket.ts";

interface BunSocket {
  readonly data: BunLink;
  readonly localPort: number;
  readonly remotePort: number;
  /** Returns how many bytes were taken. Fewer than given: drain will be called. -1: the socket is closed. */
  write(bytes: Uint8Array): number;
  pause(): void;
  resume(): void;
  ref(): void;
  unref(): void;
  terminate(): void;
  setNoDelay(isOn: boolean): void;
  setKeepAlive(isOn: boolean, delayMs: number): void;
  /** With TLS 1.3 only after the server's first bytes. */
  getSession(): Uint8Array | undefined;
  /** Only before the handshake. */
  setSession(session: Uint8Array): void;
  /** The fields of node:crypto's X509Certificate. */
  getPeerX509Certificate(): { readonly raw: Uint8Array; readonly subjectAltName: string | undefined };
}

interface BunRuntime {
  connect(options: {
    readonly hostname: string;
    readonly port: number;
    readonly tls?: object;
    readonly data: BunLink;
    readonly socket: typeof handlers;
  }): Promise<BunSocket>;
}

/** One handler object for all sockets. A socket's data is its link. */
const handlers = {
  open: (socket: BunSocket): void => socket.data.opened(socket),
  handshake: (socket: BunSocket, isGood: boolean, error: unknown): void => socket.data.greeted(isGood, error),
  data: (socket: BunSocket, bytes: Uint8Array): void => socket.data.received(bytes),
  drain: (socket: BunSocket): void => socket.data.drained(),
  close: (socket: BunSocket, error: unknown): void => socket.data.closed(error),
  error: (socket: BunSocket, error: unknown): void => socket.data.closed(error),
};

export function bunDialer(target: SocketTarget, limits: DialLimits = dialLimits): Dial {
  assert(target.proxy === undefined, "these sockets go through no proxy");
  const { connect } = (globalThis as unknown as { Bun: BunRuntime }).Bun;
  const { host: hostname, port } = target;
  const tls = target.tls && tlsOptions(target.tls);
  const session = target.tls && new SharedSession();
  return (owner, signal) =>
    new Promise((resolve, reject) => {
      const data = new BunLink(owner, signal, resolve, reject, target.tls, session, limits);
      try {
        // opened() is called before the promise resolves.
        connect({ hostname, port, data, socket: handlers, ...(tls && { tls }) }).catch((error) => data.closed(error));
      } catch (error) {
        data.closed(error); // the certificate or key cannot be used
      }
    });
}

function tlsOptions({ ca, cert, key, name, isVerified }: TlsTarget): object {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    serverName: name,
    rejectUnauthorized: isVerified,
    // In wire format: a length and the name.
    ALPNProtocols: `${String.fromCharCode(ALPN.length)}${ALPN}`,
  };
}

class BunLink implements Socket {
  readonly owner: SocketOwner;
  readonly #signal: AbortSignal;
  readonly #tls: TlsTarget | undefined;
  /** Undefined after the session of this connection was shared, and in a connection that resumes one. */
  #session: SharedSession | undefined;
  readonly #limits: DialLimits;
  #resolve: ((socket: Socket) => void) | undefined;
  readonly #reject: (error: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #socket: BunSocket | undefined;
  #isOver = false;
  /** Chunks that Bun has not taken yet. */
  #unsent: Uint8Array[] = [];

  constructor(
    owner: SocketOwner,
    signal: AbortSignal,
    resolve: (socket: Socket) => void,
    reject: (error: unknown) => void,
    tls: TlsTarget | undefined,
    session: SharedSession | undefined,
    limits: DialLimits,
  ) {
    this.owner = owner;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#tls = tls;
    this.#session = session;
    this.#limits = limits;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#timer = setTimeout(() => this.closed(timeoutError("dial: i/o timeout")), limits.dialMs);
  }

  readonly #onAbort = (): void => this.closed(this.#signal.reason);

  opened(socket: BunSocket): void {
    // Bun cannot cancel connecting.
    if (this.#isOver) return void socket.terminate();
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    if (this.#tls === undefined) return void this.ready();
    const session = this.#session?.current;
    if (session !== undefined) {
      socket.setSession(session);
      this.#session = undefined;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.closed(timeoutError("TLS handshake timeout")), this.#limits.handshakeMs);
  }

  /** Bun reports failure even if only the certificate is bad and is not to be verified. */
  greeted(isGood: boolean, error: unknown): void {
    const code = (error as { code?: unknown } | undefined)?.code;
    const isDone = code !== "EPROTO" && code !== "ECONNRESET";
    if (isDone && this.#tls?.isVerified === false) return void this.ready();
    const problem = this.#nameError(isGood && !error, code);
    if (isGood && !error && problem === undefined) this.ready();
    else this.closed(problem ?? error);
  }

  /** Bun and Go disagree only about names, so the certificate is read only if its names are in question. */
  #nameError(isAccepted: boolean, code: unknown): Error | undefined {
    const name = this.#tls?.name ?? "";
    const isInQuestion = isAccepted ? isIP(name) === 0 : code === "ERR_TLS_CERT_ALTNAME_INVALID";
    if (!isInQuestion || this.#isOver || this.#socket === undefined) return undefined;
    const { raw, subjectAltName } = this.#socket.getPeerX509Certificate();
    return nameError(name, { subjectAltName, commonName: certificateContent(raw).subject.commonName }, isAccepted);
  }

  ready(): void {
    const resolve = this.#resolve;
    this.#endDialing();
    resolve?.(this);
  }

  #endDialing(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#resolve = undefined;
  }

  /** Called for every end of the connection; Bun may report several errors in a row. */
  closed(error: unknown): void {
    if (this.#isOver) return;
    const isDialing = this.#resolve !== undefined;
    this.destroy();
    if (!isDialing) return void this.owner.onClose(error);
    this.#endDialing();
    this.#reject(error ?? resetError("the connection was closed before it was established"));
  }

  received(bytes: Uint8Array): void {
    this.#session?.keep(this.#socket?.getSession());
    this.#session = undefined;
    this.owner.onData(bytes);
  }

  write(bytes: Uint8Array): boolean {
    if (this.#unsent.length > 0) {
      this.#unsent.push(bytes);
      return false;
    }
    return this.#writeNow(bytes);
  }

  #writeNow(bytes: Uint8Array): boolean {
    if (this.#isOver || this.#socket === undefined) return true;
    const taken = this.#socket.write(bytes);
    if (taken === bytes.length) return true;
    // A closed socket reports its end by a separate event.
    if (taken < 0) return true;
    this.#unsent.push(bytes.subarray(taken));
    return false;
  }

  drained(): void {
    const unsent = this.#unsent;
    if (unsent.length === 0) return;
    this.#unsent = [];
    let hasRoom = true;
    for (const bytes of unsent) {
      if (hasRoom) hasRoom = this.#writeNow(bytes);
      else this.#unsent.push(bytes);
    }
    if (hasRoom) this.owner.onDrain();
  }

  pause(): void {
    if (!this.#isOver) this.#socket?.pause();
  }

  resume(): void {
    if (!this.#isOver) this.#socket?.resume();
  }

  ports(): readonly [number, number] {
    return [this.#socket?.localPort ?? 0, this.#socket?.remotePort ?? 0];
  }

  setBusy(isBusy: boolean): void {
    if (isBusy) this.#socket?.ref();
    else this.#socket?.unref();
  }

  destroy(): void {
    this.#isOver = true;
    this.#unsent = [];
    this.#socket?.terminate();
  }
}
