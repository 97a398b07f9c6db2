// One exchange of HTTPS as node shows it, over HTTP/1.1 or h2.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** The error code of h2 for a client that asks too much. */
const ENHANCE_YOUR_CALM = 0xb;

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = ServerResponse | Http2ServerResponse;

/** Both ends of one exchange; the signal aborts when the client is gone. */
export interface Wire {
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly socket: TLSSocket;
  readonly signal: AbortSignal;
}

/** Ends the exchange without an answer, or in the middle of it: on h2 the stream, otherwise the connection. */
export function cutOff(outgoing: Outgoing, socket: Socket): void {
  if ("stream" in outgoing) outgoing.stream.close(ENHANCE_YOUR_CALM);
  else socket.destroy();
}
