// A proxy between the API server and the manager under comparison. It adds the type of each patch to the audit log: the
// server accepts a client's audit ID, so the proxy sends one that ends with the type. It also holds watches back, so
// that a scenario decides which of two events the manager sees first. The user of a client certificate is passed on
// through the request-header CA; tokens pass unchanged.

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import type { ControlPlane } from "#test/real/control-plane.ts";
import { type HeldResource, qualifiedName, qualifiedNameIn } from "./held-watches.ts";

export interface WatchingProxy {
  readonly server: string;
  /** From now on no event of the resource reaches the manager, in any namespace. */
  hold(resource: HeldResource): void;
  /** Delivers the events that were held back, and no longer holds the resource. */
  release(resource: HeldResource): void;
  /** The resources that the manager watches: "pods", "deployments.apps". */
  watched(): readonly string[];
  /** Closes all connections and refuses new ones until `open`. */
  close(): void;
  open(): void;
  /** Ends all watches, as the server does when they time out. */
  endWatches(): void;
}

/** "strategic-merge-patch", "merge-patch", "json-patch", "apply-patch"; empty for other requests. */
export function patchTypeOf(auditId: string): string {
  return auditId.split("_")[1] ?? "";
}

/** Audit IDs of the proxy contain an underscore; IDs of the server do not. */
export function cameThroughProxy(auditId: string): boolean {
  return auditId.includes("_");
}

function auditIdFor({ method, headers }: IncomingMessage): string {
  const type = /^application\/([a-z-]+)\+/.exec(headers["content-type"] ?? "")?.[1];
  return `${randomUUID()}_${method === "PATCH" ? (type ?? "unknown") : ""}`;
}

/** The qualified name of the resource that a request watches. */
function watchedBy(url: string): string | undefined {
  const { pathname, searchParams } = new URL(url, "https://proxy");
  return ["1", "true"].includes(searchParams.get("watch") ?? "") ? qualifiedNameIn(pathname) : undefined;
}

/** One watch on its way to the manager. */
interface HeldWatch {
  readonly resource: string;
  readonly response: ServerResponse;
  held: Buffer[];
}

class Watches {
  readonly #open = new Set<HeldWatch>();
  readonly #holding = new Set<string>();

  pass(resource: string, answer: IncomingMessage, response: ServerResponse): void {
    const watch: HeldWatch = { resource, response, held: [] };
    this.#open.add(watch);
    answer.on("data", (chunk: Buffer) => {
      if (this.#holding.has(resource)) watch.held.push(chunk);
      else response.write(chunk);
    });
    answer.on("end", () => {
      this.#handOver(watch);
      response.end();
    });
    response.on("close", () => this.#open.delete(watch));
  }

  hold(resource: HeldResource): void {
    this.#holding.add(qualifiedName(resource));
  }

  release(resource: HeldResource): void {
    const name = qualifiedName(resource);
    this.#holding.delete(name);
    for (const watch of this.#of(name)) this.#handOver(watch);
  }

  watched(): readonly string[] {
    return [...this.#open].map(({ resource }) => resource);
  }

  endAll(): void {
    for (const { response } of this.#open) response.end();
    this.#open.clear();
  }

  #of(resource: string): readonly HeldWatch[] {
    return [...this.#open].filter((watch) => watch.resource === resource);
  }

  #handOver(watch: HeldWatch): void {
    for (const chunk of watch.held) watch.response.write(chunk);
    watch.held = [];
  }
}

/** The proxy runs until the process ends. */
export async function startWatchingProxy({ pki, server }: ControlPlane): Promise<WatchingProxy> {
  const { ca, frontProxy, serving } = pki;
  const common = { ca: ca.certificatePem, keepAlive: true };
  const anonymous = new Agent(common);
  const onBehalf = new Agent({ ...common, cert: frontProxy.certificatePem, key: frontProxy.keyPem });
  const watches = new Watches();
  const connections = new Set<TLSSocket>();
  let isOpen = true;

  const http = createServer((incoming, response) => {
    const socket = incoming.socket as TLSSocket;
    const { connection: _, host: __, ...passed } = incoming.headers;
    const { CN = "", O = [] } = socket.authorized ? socket.getPeerCertificate().subject : {};
    const user = socket.authorized ? { "x-remote-user": CN, "x-remote-group": O } : {};
    const watched = watchedBy(incoming.url ?? "/");
    const upstream = httpsRequest(server + (incoming.url ?? "/"), {
      method: incoming.method ?? "GET",
      headers: { ...passed, ...user, "audit-id": auditIdFor(incoming) },
      agent: socket.authorized ? onBehalf : anonymous,
    });
    upstream.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      if (watched === undefined) answer.pipe(response);
      else watches.pass(watched, answer, response);
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
      if (!isOpen) {
        socket.destroy();
        return;
      }
      connections.add(socket);
      socket.on("close", () => connections.delete(socket));
      http.emit("connection", socket);
    },
  );
  await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve));
  return {
    server: `https://127.0.0.1:${(tls.address() as AddressInfo).port}`,
    hold: (resource) => watches.hold(resource),
    release: (resource) => watches.release(resource),
    watched: () => watches.watched(),
    close: () => {
      isOpen = false;
      for (const socket of connections) socket.destroy();
    },
    open: () => {
      isOpen = true;
    },
    endWatches: () => watches.endAll(),
  };
}
