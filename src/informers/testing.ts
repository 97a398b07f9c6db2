// For tests only: a small API server behind the Transport interface. It keeps one collection, answers LIST and WATCH as
// kube-apiserver does, and can be made to misbehave.

import type { WatchEventType } from "#api/object.ts";
import { type NamespacedObject, type Resource, resourceHandle } from "#api/resource.ts";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { TransportError } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import { type FedStream, fedStream, jsonResponse, type Responder, streamResponse } from "#client/testing.ts";

export interface Thing extends NamespacedObject {
  readonly spec?: { readonly value: number };
}

export const Things: Resource<Thing> = resourceHandle<Thing>({
  group: "example.com",
  version: "v1",
  resource: "things",
  kind: "Thing",
  scope: "Namespaced",
});

interface LogEntry {
  readonly revision: number;
  readonly type: WatchEventType;
  readonly object: Thing;
}

export interface ServerStream {
  readonly stream: FedStream;
  readonly query: URLSearchParams;
  isStalled: boolean;
}

export class ThingServer implements Transport {
  readonly objects: Map<string, Thing> = new Map();
  readonly requests: string[] = [];
  readonly streams: Set<ServerStream> = new Set();
  /** Answers that replace the server's, one per request; undefined keeps the server's answer. */
  readonly overrides: (Responder | undefined)[] = [];
  supportsWatchList = true;
  #log: LogEntry[] = [];
  #compactedAt = 0;
  #uid = 0;
  revision = 10;
  /** The snapshots behind continue tokens; compaction expires them. */
  readonly #snapshots = new Map<string, { readonly items: readonly Thing[]; readonly revision: number }>();

  put(name: string, value: number, namespace = "ns"): Thing {
    const key = `${namespace}/${name}`;
    const old = this.objects.get(key);
    const uid = old?.metadata.uid ?? `uid-${++this.#uid}`;
    const object: Thing = {
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: {
        name,
        namespace,
        uid,
        resourceVersion: String(++this.revision),
        creationTimestamp: "2026-01-01T00:00:00Z",
        managedFields: [{ manager: "m" }],
      },
      spec: { value },
    };
    this.objects.set(key, object);
    this.#record(old ? "MODIFIED" : "ADDED", object);
    return object;
  }

  remove(name: string, namespace = "ns"): void {
    const key = `${namespace}/${name}`;
    const old = this.objects.get(key);
    if (!old) return;
    this.objects.delete(key);
    this.#record("DELETED", { ...old, metadata: { ...old.metadata, resourceVersion: String(++this.revision) } });
  }

  /** Forgets history and continue tokens: older watches and later pages get 410. */
  compact(): void {
    this.#compactedAt = this.revision;
    this.#log = [];
    this.#snapshots.clear();
  }

  /** Restores the state of an old backup: revisions restart below those that clients have seen. */
  restore(revision: number): void {
    this.revision = revision;
    this.objects.clear();
    this.#log = [];
    this.#compactedAt = revision;
    for (const { stream } of this.streams) stream.fail(new TransportError("reset", "connection reset by peer"));
    this.streams.clear();
  }

  bookmark(): void {
    for (const { stream, isStalled } of this.streams) if (!isStalled) stream.push(this.#bookmarkLine(false));
  }

  stall(): void {
    for (const open of this.streams) open.isStalled = true;
  }

  endStreams(): void {
    for (const { stream } of this.streams) stream.end();
    this.streams.clear();
  }

  /** Cuts all streams; with isMidLine, in the middle of a line. */
  cutStreams(isMidLine = false): void {
    for (const { stream } of this.streams) {
      if (isMidLine) stream.push('{"type":"MODIFIED","object":{"kind":"Thi');
      stream.fail(new TransportError("reset", "connection reset by peer"));
    }
    this.streams.clear();
  }

  push(type: string, object: unknown): void {
    for (const { stream, isStalled } of this.streams) if (!isStalled) stream.push(line(type, object));
  }

  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    this.requests.push(request.query.replace(/timeout=\w+&timeoutSeconds=\d+/, "timeout=T&timeoutSeconds=N"));
    signal.throwIfAborted();
    const override = this.overrides.shift();
    if (override) return await override(request, signal);
    const query = new URLSearchParams(request.query);
    return query.get("watch") ? this.watch(query, signal) : this.list(query);
  }

  list(query: URLSearchParams): HttpResponse {
    const wanted = Number(query.get("resourceVersion") ?? 0);
    if (wanted > this.revision) return tooLarge(wanted, this.revision);
    const limit = Number(query.get("limit") ?? 0) || Number.POSITIVE_INFINITY;
    const token = query.get("continue");
    const snapshot = token
      ? this.#snapshots.get(token)
      : { items: [...this.objects.values()], revision: this.revision };
    if (!snapshot) return expired("The provided continue parameter is too old");
    const page = snapshot.items.slice(0, limit);
    const rest = snapshot.items.slice(limit);
    const next = rest.length > 0 ? `token-${this.#snapshots.size}-${this.revision}` : "";
    if (next) this.#snapshots.set(next, { items: rest, revision: snapshot.revision });
    const items = page.map(({ apiVersion: _, kind: __, ...item }) => item);
    const metadata = { resourceVersion: String(snapshot.revision), ...(next && { continue: next }) };
    return jsonResponse({ apiVersion: "example.com/v1", kind: "ThingList", metadata, items });
  }

  watch(query: URLSearchParams, signal: AbortSignal): HttpResponse {
    const from = Number(query.get("resourceVersion") ?? 0);
    const isStreamingList = query.get("sendInitialEvents") === "true";
    if (isStreamingList && !this.supportsWatchList) {
      return failure(
        422,
        "Invalid",
        "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
      );
    }
    if (isStreamingList && from > this.revision) return tooLarge(from, this.revision);
    const stream = fedStream(signal);
    const open: ServerStream = { stream, query, isStalled: false };
    this.streams.add(open);
    signal.addEventListener("abort", () => this.streams.delete(open));
    if (isStreamingList || from === 0) {
      for (const object of this.objects.values()) stream.push(line("ADDED", object));
      if (isStreamingList) stream.push(this.#bookmarkLine(true));
    } else if (from < this.#compactedAt) {
      stream.push(line("ERROR", statusOf(410, "Expired", `too old resource version: ${from} (${this.#compactedAt})`)));
      stream.end();
    } else {
      for (const entry of this.#log) if (entry.revision > from) stream.push(line(entry.type, entry.object));
    }
    return streamResponse(stream);
  }

  #record(type: WatchEventType, object: Thing): void {
    this.#log.push({ revision: this.revision, type, object });
    for (const { stream, isStalled } of this.streams) if (!isStalled) stream.push(line(type, object));
  }

  #bookmarkLine(isInitialEnd: boolean): string {
    const metadata = {
      resourceVersion: String(this.revision),
      ...(isInitialEnd && { annotations: { "k8s.io/initial-events-end": "true" } }),
    };
    return line("BOOKMARK", { apiVersion: "example.com/v1", kind: "Thing", metadata });
  }
}

function line(type: string, object: unknown): string {
  return `${stringifyJson({ type, object })}\n`;
}

export function statusOf(code: number, reason: string, message: string, causes: readonly unknown[] = []): unknown {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, details: { causes } };
}

export function failure(code: number, reason: string, message: string, causes: readonly unknown[] = []): HttpResponse {
  return jsonResponse(statusOf(code, reason, message, causes), code);
}

export function expired(message: string): HttpResponse {
  return failure(410, "Expired", message);
}

function tooLarge(wanted: number, current: number): HttpResponse {
  return failure(504, "Timeout", `Too large resource version: ${wanted}, current: ${current}`, [
    { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
  ]);
}
