// One HTTPS exchange in node's types, over HTTP/1.1 or h2.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** The h2 error code for a client that causes too much load. */
const ENHANCE_YOUR_CALM = 0xb;

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = ServerResponse | Http2ServerResponse;

/** Both ends of one exchange. The signal aborts when the client is gone. */
export interface Wire {
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly socket: TLSSocket;
  readonly signal: AbortSignal;
}

/** Ends the exchange without completing the answer: on h2 the stream, otherwise the connection. */
export function cutOff(outgoing: Outgoing, socket: Socket): void {
  if ("stream" in outgoing) outgoing.stream.close(ENHANCE_YOUR_CALM);
  else socket.destroy();
}
