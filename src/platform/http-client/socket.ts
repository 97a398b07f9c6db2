// A byte stream to a server over TCP or TLS: the interface between the HTTP client and the runtimes' sockets.

export interface Socket {
  /** Takes the bytes, which must not change afterwards. False: the buffer is full, continue after onDrain. */
  write(bytes: Uint8Array): boolean;
  /** No onData until resume(), so that the peer has to wait. */
  pause(): void;
  resume(): void;
  /** Local and remote port, while it is open. */
  ports(): readonly [number, number];
  /** Whether the connection keeps the process alive. */
  setBusy(isBusy: boolean): void;
  /** Closes at once in both directions, without calling the owner. */
  destroy(): void;
}

/** Receives the events of a socket. */
export interface SocketOwner {
  /** The owner may keep and change the bytes. */
  onData(bytes: Uint8Array): void;
  onDrain(): void;
  /** The last call. Undefined: the peer closed its side normally. */
  onClose(error: unknown): void;
}

export interface TlsTarget {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Host name or IP address for SNI and for the check of the certificate. */
  readonly name: string;
  readonly isVerified: boolean;
}

export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsTarget;
  /** Connect to this proxy and open a tunnel with CONNECT. */
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
  /** Limit for the proxy's answer to CONNECT. */
  readonly tunnelMs: number;
}

// Upstream: client-go/transport/cache.go, get; net/http/transport.go, dialConn
export const dialLimits: DialLimits = { dialMs: 30_000, handshakeMs: 10_000, tunnelMs: 60_000 };
export const KEEP_ALIVE_MS = 30_000;
export const ALPN = "http/1.1";

/** Has the code that the runtimes use for timeouts. */
export function timeoutError(message: string): Error {
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}

/** Has the code that the runtimes use for connections closed by the peer. */
export function resetError(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}
