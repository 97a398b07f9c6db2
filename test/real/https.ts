// A plain HTTPS exchange for tests, on node:https, so that it shares no code with the client under test.

import type { IncomingMessage } from "node:http";
import { type RequestOptions, request } from "node:https";

export interface HttpsCall {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly rawBody?: string;
  readonly caPem: string;
  /** The server's certificate is not checked. */
  readonly isInsecure?: boolean;
  readonly client?: { readonly certificatePem: string; readonly keyPem: string };
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Resolves when the head of the answer has arrived; the caller reads the body. */
export function openHttps(call: HttpsCall): Promise<IncomingMessage> {
  const payload = call.body === undefined ? call.rawBody : JSON.stringify(call.body);
  const options: RequestOptions = {
    method: call.method ?? "GET",
    headers: {
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...(call.headers as Record<string, string | string[]> | undefined),
    },
    ...(call.isInsecure ? { rejectUnauthorized: false } : { ca: call.caPem }),
    agent: false,
    ...(call.client === undefined ? {} : { cert: call.client.certificatePem, key: call.client.keyPem }),
  };
  return new Promise((resolve, reject) => {
    request(call.url, options, resolve).on("error", reject).end(payload);
  });
}

/** Resolves to the whole answer; rejects if it is cut short. */
export async function callHttps(call: HttpsCall): Promise<HttpsAnswer> {
  const message = await openHttps(call);
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return { status: message.statusCode ?? 0, headers: message.headers, text: Buffer.concat(chunks).toString() };
}
