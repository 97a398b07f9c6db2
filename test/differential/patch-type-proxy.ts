// A proxy in front of the API server that makes the audit log tell the type of each patch: the server takes the
// audit ID that a client sends, so the proxy sends one that ends with it. The user of a client certificate is
// passed on through the request-header CA; tokens pass as they are.

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import type { ControlPlane } from "#test/real/control-plane.ts";

export interface PatchTypeProxy {
  readonly server: string;
}

/** "strategic-merge-patch", "merge-patch", "json-patch", "apply-patch"; empty for what is no patch. */
export function patchTypeOf(auditId: string): string {
  return auditId.split("_")[1] ?? "";
}

/** IDs of the proxy have an underscore, IDs that the server gives have none. */
export function cameThroughProxy(auditId: string): boolean {
  return auditId.includes("_");
}

function auditIdFor({ method, headers }: IncomingMessage): string {
  const type = /^application\/([a-z-]+)\+/.exec(headers["content-type"] ?? "")?.[1];
  return `${randomUUID()}_${method === "PATCH" ? (type ?? "unknown") : ""}`;
}

/** It lives as long as the process. */
export async function startPatchTypeProxy({ pki, server }: ControlPlane): Promise<PatchTypeProxy> {
  const { ca, frontProxy, serving } = pki;
  const common = { ca: ca.certificatePem, keepAlive: true };
  const anonymous = new Agent(common);
  const onBehalf = new Agent({ ...common, cert: frontProxy.certificatePem, key: frontProxy.keyPem });

  const http = createServer((incoming, response) => {
    const socket = incoming.socket as TLSSocket;
    const { connection: _, host: __, ...passed } = incoming.headers;
    const { CN = "", O = [] } = socket.authorized ? socket.getPeerCertificate().subject : {};
    const user = socket.authorized ? { "x-remote-user": CN, "x-remote-group": O } : {};
    const upstream = httpsRequest(server + (incoming.url ?? "/"), {
      method: incoming.method ?? "GET",
      headers: { ...passed, ...user, "audit-id": auditIdFor(incoming) },
      agent: socket.authorized ? onBehalf : anonymous,
    });
    upstream.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on("error", () => socket.destroy());
      response.on("close", () => answer.destroy());
    });
    upstream.on("error", () => socket.destroy());
    response.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  });
  const tls = createTlsServer(
    {
      cert: serving.certificatePem,
      key: serving.keyPem,
      ca: ca.certificatePem,
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    },
    (socket) => {
      socket.on("error", () => socket.destroy());
      http.emit("connection", socket);
    },
  );
  await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve));
  return { server: `https://127.0.0.1:${(tls.address() as AddressInfo).port}` };
}
