// A request that arrives over HTTPS: its parts, the client's certificate, and its body. Small bodies are collected
// within a time limit; large ones are streamed.

import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { Aborted } from "#base/errors.ts";
import type { HttpBody, HttpHeaders, HttpRequest } from "#base/http.ts";
import { cutOff, type Incoming, type Wire } from "./https-wire.ts";
import { type PeerCertificate, peerCertificate } from "./peer-certificate.ts";
import type { TlsSettings } from "./tls-settings.ts";

/** Time limit for a collected body. Handlers limit streamed bodies themselves. */
const BODY_MS = 32_000;
/** Bodies up to this size are collected before the handler runs; larger ones are streamed to it. */
const COLLECTED_BODY_BYTES_MAX = 256 << 10;

const ABSOLUTE = /^https?:\/\/[^/?]*/i;

export interface ServedRequest extends HttpRequest {
  readonly isHttp2: boolean;
  readonly peer: {
    /** "127.0.0.1:40206", "[::1]:40206". */
    readonly address: string;
    /** Set if one of the client CAs vouches for the certificate now. */
    readonly certificate?: PeerCertificate;
    /** Set if no client CA does. The certificate proves nothing, but the client is not anonymous either. */
    readonly untrusted?: PeerCertificate;
  };
}

/** Reads the body first, so that the certificate is checked immediately before the request is handled. */
export async function readRequest(
  wire: Wire,
  clientCas: () => TlsSettings["clientCas"],
  nowMs: () => number,
): Promise<ServedRequest> {
  const body = await requestBody(wire);
  const presented = peerCertificate(wire.socket, clientCas() ?? [], nowMs());
  return servedRequest(wire.incoming, wire.socket, presented, body);
}

function servedRequest(
  incoming: Incoming,
  socket: TLSSocket,
  presented: PeerCertificate | undefined,
  body: HttpBody | undefined,
): ServedRequest {
  const url = (incoming.url ?? "/").replace(ABSOLUTE, ""); // an absolute URL, as sent to a proxy, counts by its path
  const question = url.indexOf("?");
  return {
    method: incoming.method ?? "GET",
    path: question < 0 ? url : url.slice(0, question),
    query: question < 0 ? "" : url.slice(question + 1),
    headers: headersOf(incoming),
    isHttp2: incoming.httpVersionMajor === 2,
    ...(body === undefined ? {} : { body }),
    peer: {
      address: peerAddress(socket),
      ...(presented === undefined
        ? {}
        : presented.signedBy.length > 0
          ? { certificate: presented }
          : { untrusted: presented }),
    },
  };
}

export function peerAddress({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress.includes(":") ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}

/**
 * Repeated headers stay separate. node joins them with ", ", after which two groups look like one group with a comma in
 * its name: a user who can choose a group's name could get into another group.
 */
function headersOf({ headers, rawHeaders }: Incoming): HttpHeaders {
  let names = 0;
  for (const _ in headers) names++;
  if (names * 2 === rawHeaders.length) return headers as HttpHeaders;
  const apart = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? "").toLowerCase();
    apart.set(name, [...(apart.get(name) ?? []), rawHeaders[i + 1] ?? ""]);
  }
  const repeated = [...apart].filter(([name, values]) => values.length > 1 && name in headers);
  return repeated.length === 0
    ? (headers as HttpHeaders)
    : { ...(headers as HttpHeaders), ...Object.fromEntries(repeated) };
}

async function requestBody({ incoming, outgoing, socket }: Wire): Promise<HttpBody | undefined> {
  const declared = incoming.headers["content-length"];
  const isChunked = incoming.headers["transfer-encoding"] !== undefined;
  const isH2 = incoming.httpVersionMajor === 2;
  if (declared === "0" || (declared === undefined && !isChunked && (!isH2 || incoming.method === "GET")))
    return undefined;
  if (declared === undefined || Number(declared) > COLLECTED_BODY_BYTES_MAX) {
    return { kind: "stream", chunks: incoming as AsyncIterable<Uint8Array> };
  }
  const timer = setTimeout(() => cutOff(outgoing, socket), BODY_MS);
  try {
    return { kind: "bytes", bytes: await collected(incoming) };
  } finally {
    clearTimeout(timer);
  }
}

/** Uses events: an async iterator costs more than the chunks it yields. */
function collected(incoming: Incoming): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    let isWhole = false;
    incoming.on("end", () => {
      isWhole = true;
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    incoming.on("error", reject);
    incoming.on("close", () => {
      if (!isWhole) reject(new Aborted("the client is gone"));
    });
  });
}
