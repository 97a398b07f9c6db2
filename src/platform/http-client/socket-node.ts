// Sockets on node:net and node:tls: for Node, and on both runtimes for connections through a proxy, because Bun's
// sockets do not support TLS inside TLS.
import { connect as connectTcp, isIP, type Socket as NodeSocket } from "node:net";
import { checkServerIdentity, connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import { TransportError } from "#base/http.ts";
import { nameError } from "../certificates/server-name.ts";
import { AnswerParser } from "./http1-answer.ts";
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

export function nodeDialer(target: SocketTarget, limits: DialLimits = dialLimits): Dial {
  const { proxy } = target;
  const secure = target.tls && handshake(target.tls, limits);
  const secureProxy = proxy?.tls && handshake(proxy.tls, limits);
  return async (owner, signal) => {
    signal.throwIfAborted();
    let socket = await dial(proxy ?? target, limits, signal);
    if (secureProxy) socket = await secureProxy(socket, signal);
    if (proxy) await tunnel(socket, target, limits, signal);
    if (secure) socket = await secure(socket, signal);
    return new NodeLink(socket, owner);
  };
}

type Place = Pick<SocketTarget, "host" | "port">;

async function dial({ host, port }: Place, { dialMs }: DialLimits, signal: AbortSignal): Promise<NodeSocket> {
  const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
  const socket = connectTcp({ host, port, ...options });
  await step(socket, dialMs, "dial: i/o timeout", signal, (end) => socket.once("connect", () => end()));
  return socket;
}

type Handshake = (socket: NodeSocket, signal: AbortSignal) => Promise<NodeSocket>;

function handshake({ ca, cert, key, name, isVerified }: TlsTarget, { handshakeMs }: DialLimits): Handshake {
  // Created at first use, so that bad certificates fail the request that needs them.
  let context: SecureContext | undefined;
  const shared = new SharedSession();
  return async (socket, signal) => {
    try {
      context ??= createSecureContext({
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      });
    } catch (error) {
      socket.destroy();
      throw error;
    }
    const session = shared.current;
    const secure = connectTls({
      socket,
      ...(session !== undefined && { session: Buffer.from(session) }),
      secureContext: context,
      // An IP address is not sent in SNI but is checked against the certificate.
      servername: isIP(name) ? "" : name,
      checkServerIdentity: (_, certificate) => {
        const { subject, subjectaltname: subjectAltName } = certificate;
        const commonName = [subject?.CN].flat().at(-1);
        return nameError(name, { subjectAltName, commonName }, checkServerIdentity(name, certificate) === undefined);
      },
      rejectUnauthorized: isVerified,
      ALPNProtocols: [ALPN],
    });
    await step(secure, handshakeMs, "TLS handshake timeout", signal, (end) =>
      secure.once("secureConnect", () => end()),
    );
    if (session === undefined) secure.once("session", (own) => shared.keep(own));
    return secure;
  };
}

/** Asks the proxy to open a tunnel to the target. */
// Upstream: net/http/transport.go, dialConn
async function tunnel(
  socket: NodeSocket,
  target: SocketTarget,
  { tunnelMs }: DialLimits,
  signal: AbortSignal,
): Promise<void> {
  const authority = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  const authorization = target.proxy?.authorization;
  const login = authorization === undefined ? "" : `proxy-authorization: ${authorization}\r\n`;
  await step(socket, tunnelMs, "CONNECT: i/o timeout", signal, (end) => {
    const parser = new AnswerParser({
      onHead({ status }) {
        const isRefused = status < 200 || status > 299;
        end(isRefused ? new TransportError("other", `the proxy answered CONNECT with status ${status}`) : undefined);
      },
      onBody: () => undefined,
      onEnd: () => undefined,
    });
    parser.begin("CONNECT");
    const onData = (bytes: Buffer): void => {
      try {
        parser.feed(bytes);
      } catch (error) {
        end(error);
      }
    };
    socket.on("data", onData);
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${login}\r\n`, "latin1");
  });
  socket.removeAllListeners("data");
  socket.pause();
}

type End = (error?: unknown) => void;

/** Waits for one step of connecting. The socket is destroyed if it fails, closes, times out or the signal aborts. */
function step(
  socket: NodeSocket,
  limitMs: number,
  tooLate: string,
  signal: AbortSignal,
  start: (end: End) => unknown,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end: End = (error) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.off("close", onClose);
      if (error === undefined) return resolve();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => end(signal.reason);
    const onClose = (): void => end(resetError("the connection was closed before it was established"));
    const timer = setTimeout(() => end(timeoutError(tooLate)), limitMs);
    signal.addEventListener("abort", onAbort, { once: true });
    // Stays installed: a socket may fail again while it closes.
    socket.on("error", end);
    socket.on("close", onClose);
    start(end);
  });
}

class NodeLink implements Socket {
  readonly #socket: NodeSocket;
  #isOver = false;
  #error: unknown;

  constructor(socket: NodeSocket, owner: SocketOwner) {
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => {
      if (!this.#isOver) owner.onData(bytes);
    });
    socket.on("drain", () => owner.onDrain());
    socket.on("error", (error) => {
      this.#error ??= error;
    });
    socket.on("close", () => {
      if (this.#isOver) return;
      this.#isOver = true;
      owner.onClose(this.#error);
    });
  }

  write(bytes: Uint8Array): boolean {
    return this.#isOver || this.#socket.write(bytes);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  ports(): readonly [number, number] {
    return [this.#socket.localPort ?? 0, this.#socket.remotePort ?? 0];
  }

  setBusy(isBusy: boolean): void {
    if (isBusy) this.#socket.ref();
    else this.#socket.unref();
  }

  destroy(): void {
    this.#isOver = true;
    this.#socket.destroy();
  }
}
