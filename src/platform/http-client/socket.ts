// A byte stream to a server, over TCP or TLS, as the HTTP client needs it: the seam between it and the runtimes.

export interface Socket {
  /** Takes the bytes; they must not change afterwards. False: enough is waiting to leave, go on after onDrain. */
  write(bytes: Uint8Array): boolean;
  /** No onData until resume(), so that the peer has to wait. */
  pause(): void;
  resume(): void;
  /** Local and remote port, while it is open. */
  ports(): readonly [number, number];
  /** Whether the connection keeps the process alive. */
  setBusy(isBusy: boolean): void;
  /** At once, in both directions. The owner is not told. */
  destroy(): void;
}

/** Who is told what happens on a socket. */
export interface SocketOwner {
  /** The bytes are the owner's to keep and to change. */
  onData(bytes: Uint8Array): void;
  onDrain(): void;
  /** The last call. Undefined: the peer has ended its side in good order. */
  onClose(error: unknown): void;
}

export interface TlsTarget {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Host name or IP address to ask for and to find in the certificate. */
  readonly name: string;
  readonly isVerified: boolean;
}

export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsTarget;
  /** Goes there, and from there by CONNECT. */
  readonly proxy?: {
    readonly host: string;
    readonly port: number;
    readonly tls?: TlsTarget;
    readonly authorization?: string;
  };
}

/** Connects. The owner is called only after the promise has been resolved. */
export type Dial = (owner: SocketOwner, signal: AbortSignal) => Promise<Socket>;

export interface DialLimits {
  readonly dialMs: number;
  readonly handshakeMs: number;
  /** For a proxy to answer CONNECT. */
  readonly tunnelMs: number;
}

// Upstream: client-go/transport/cache.go, get; net/http/transport.go, dialConn
export const dialLimits: DialLimits = { dialMs: 30_000, handshakeMs: 10_000, tunnelMs: 60_000 };
export const KEEP_ALIVE_MS = 30_000;
export const ALPN = "http/1.1";

/** With the code that runtimes give to what took too long. */
export function timeoutError(message: string): Error {
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}

/** With the code that runtimes give to a peer that went away. */
export function resetError(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}
