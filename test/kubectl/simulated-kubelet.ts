// The server side of simulated nodes for the real API server: their kubelets, and the metrics API. The nodes have no
// machines, so the server must not dial their addresses. With --egress-selector-config-file it asks a proxy on a Unix
// socket for every connection into the cluster, and the proxy connects all of them to one port of this process.

import { writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { ApiError } from "#api/status-error.ts";
import type { HttpRequest, HttpResponse } from "#base/http.ts";
import type { Client } from "#client/client.ts";
import type { MetricsApi } from "#nodes/metrics-api.ts";
import { simulatedKubelets } from "#nodes/simulated-kubelets.ts";
import type { KeyCertificate } from "#platform/certificates/x509.ts";
import { startHttpsServer } from "#platform/https-server/https-server.ts";
import { systemClock } from "#platform/system/system-clock.ts";

const kubelets = simulatedKubelets(systemClock);

export interface EgressProxy {
  /** Flags for the API server. */
  readonly flags: readonly string[];
  /** From now on connections go to this port of 127.0.0.1. */
  lead(port: number): void;
  close(): Promise<void>;
}

/** Creates the socket in the folder. */
export async function startEgressProxy(directory: string): Promise<EgressProxy> {
  const socketFile = join(directory, "egress.sock");
  const configFile = join(directory, "egress.json");
  const connection = { proxyProtocol: "HTTPConnect", transport: { uds: { udsName: socketFile } } };
  const config = {
    apiVersion: "apiserver.k8s.io/v1beta1",
    kind: "EgressSelectorConfiguration",
    egressSelections: [{ name: "cluster", connection }],
  };
  writeFileSync(configFile, JSON.stringify(config));
  let target = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  };
  const server: Server = createServer((socket) => {
    keep(socket).once("data", () => {
      // The head of a CONNECT request fits into one chunk, and the client waits for the answer before it sends more.
      const inner = keep(connect(target, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n")));
      socket.pipe(inner).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(socketFile, resolve));
  return {
    flags: [`--egress-selector-config-file=${configFile}`],
    lead: (port) => {
      target = port;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export interface KubeletPort {
  readonly port: number;
  close(): Promise<void>;
}

/** Answers the API server as a kubelet or as the metrics API, depending on the path. */
export async function startKubeletPort(
  client: Client,
  metrics: MetricsApi,
  serving: KeyCertificate,
): Promise<KubeletPort> {
  const { port, close } = await startHttpsServer({
    host: "127.0.0.1",
    port: 0,
    tls: { cert: serving.certificatePem, key: serving.keyPem },
    handle: (request, signal) =>
      request.path.startsWith("/apis") ? metrics.send(request) : answerOfKubelet(client, request, signal),
    onError: (error) => process.stderr.write(`the kubelets' port: ${error}\n`),
  });
  return { port, close };
}

async function answerOfKubelet(client: Client, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  const [, what, namespace = "", name = "", container = ""] = request.path.split("/");
  if (what !== "containerLogs") return text(501, kubelets.refusal);
  const query = new URLSearchParams(request.query);
  const number = (key: string): number | undefined => (query.has(key) ? Number(query.get(key)) : undefined);
  const [tailLines, limitBytes, sinceSeconds] = [number("tailLines"), number("limitBytes"), number("sinceSeconds")];
  const pod = await client.resource(Pods).get({ namespace, name }, signal);
  try {
    return kubelets.readLog(
      {
        pod: () => pod,
        podName: name,
        container,
        isPrevious: query.get("previous") === "true",
        follows: false,
        hasTimestamps: query.get("timestamps") === "true",
        ...(sinceSeconds === undefined ? {} : { sinceMs: systemClock.now() - sinceSeconds * 1000 }),
        ...(tailLines === undefined ? {} : { tailLines }),
        ...(limitBytes === undefined ? {} : { limitBytes }),
      },
      signal,
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return text(error.code, error.message);
  }
}

function text(status: number, message: string): HttpResponse {
  const bytes = new TextEncoder().encode(message);
  return { status, headers: { "content-type": "text/plain" }, body: { kind: "bytes", bytes } };
}
