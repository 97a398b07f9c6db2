// Watch events in their wire form: for each stored version, event type and representation one frame of bytes, or one
// frozen object for clients in this process, created once and shared by all watchers.

import type { KubeObject, WatchEvent, WatchEventType } from "#api/object.ts";
import { withResourceVersion } from "#api/object-meta.ts";
import { encodeWatchEvent } from "#api/proto-watch.ts";
import type { Clock } from "#base/clock.ts";
import { encodeValue } from "../body-encoding.ts";
import type { Endpoint } from "../registry.ts";
import { partialMetadata, renderObject, renderTableEvent, versioned } from "../rendering.ts";
import type { Encoding, Representation } from "../representation.ts";
import type { StoredVersion } from "../storage/storage.ts";
import type { WatcherEvent } from "./watcher.ts";

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

export interface WireEvent {
  readonly type: WatchEventType;
  readonly object: unknown;
}

export class WatchEvents {
  /** False: no event has the requested form, and the first one ends the watch, as upstream. */
  readonly areShown: boolean;
  readonly #endpoint: Endpoint;
  readonly #representation: Representation;
  readonly #clock: Clock;
  /** The name of this rendering in the cache; tables are not cached, because they contain ages. */
  readonly #cacheName: string | undefined;
  #hasSentColumns = false;

  constructor(endpoint: Endpoint, representation: Representation, clock: Clock) {
    this.#endpoint = endpoint;
    this.#representation = representation;
    this.#clock = clock;
    const { shape } = representation;
    this.areShown = shape.kind !== "partial" || !shape.isList;
    const form = shape.kind === "partial" ? `partial ${shape.metaVersion}` : endpoint.apiVersion;
    this.#cacheName = shape.kind === "table" ? undefined : form;
  }

  event(event: WatcherEvent): WireEvent {
    if (event.type === "BOOKMARK") return { type: "BOOKMARK", object: this.#bookmark(event) };
    const { type, version } = event;
    if (this.#cacheName === undefined) return { type, object: this.#table(finalObject(event)) };
    return cached(version, `${type} ${this.#cacheName}`, () => Object.freeze({ type, object: this.#render(event) }));
  }

  /** One line of JSON, or a length-prefixed protobuf message. */
  frame(event: WatcherEvent): Uint8Array {
    const { encoding } = this.#representation;
    const encode = (): Uint8Array => encodeFrame(encoding, this.event(event));
    if (event.type === "BOOKMARK" || this.#cacheName === undefined) return encode();
    return cached(event.version, `${event.type} ${this.#cacheName} ${encoding}`, encode);
  }

  #render(event: WatcherEvent & { version: StoredVersion }): unknown {
    const { shape } = this.#representation;
    if (shape.kind === "partial") return partialMetadata(this.#endpoint, finalObject(event), shape.metaVersion);
    const isAsStored = event.type !== "DELETED" || event.version.isDeletion;
    if (isAsStored) return versioned(this.#endpoint, event.version);
    return renderObject(this.#endpoint, shape, finalObject(event), this.#clock.now());
  }

  #table(object: KubeObject): unknown {
    const { shape } = this.#representation;
    if (shape.kind !== "table") return object;
    const withColumns = !this.#hasSentColumns;
    this.#hasSentColumns = true;
    return renderTableEvent(this.#endpoint, shape, object, this.#clock.now(), withColumns);
  }

  #bookmark({ revision, endsInitialEvents }: WatcherEvent & { type: "BOOKMARK" }): unknown {
    const { shape } = this.#representation;
    const { version } = this.#endpoint;
    const object: KubeObject = {
      ...(shape.kind === "object" ? emptyObject(this.#endpoint) : {}),
      kind: version.kind,
      apiVersion: this.#endpoint.apiVersion,
      metadata: {
        resourceVersion: String(revision),
        ...(endsInitialEvents ? { annotations: { [INITIAL_EVENTS_END]: "true" } } : {}),
      },
    };
    if (shape.kind === "partial") return partialMetadata(this.#endpoint, object, shape.metaVersion);
    return shape.kind === "table" ? this.#table(object) : object;
  }
}

/** An object without fields, except those that its form cannot omit. */
function emptyObject({ row, version }: Endpoint): Readonly<Record<string, unknown>> {
  const zero = version.zero();
  if (row.isCustom) return zero;
  if (version.group === "apps" && NEVER_WITHOUT_REPLICAS.has(version.kind))
    return { ...zero, spec: { ...(zero.spec as object), replicas: 0 } };
  return version.kind === "ControllerRevision" ? { ...zero, data: null } : zero;
}

const NEVER_WITHOUT_REPLICAS: ReadonlySet<string> = new Set(["Deployment", "ReplicaSet", "StatefulSet"]);

/** The object in the event: for an object that left the selection, its last selected state at the new revision. */
function finalObject({ type, version }: WatcherEvent & { version: StoredVersion }): KubeObject {
  if (type !== "DELETED" || version.isDeletion) return version.object;
  return withResourceVersion((version.previous ?? version).object, version.revision);
}

function cached<T>(version: StoredVersion, name: string, make: () => T): T {
  version.renderings ??= new Map();
  let value = version.renderings.get(name) as T | undefined;
  if (value === undefined) {
    value = make();
    version.renderings.set(name, value);
  }
  return value;
}

const JSON_LINE: Representation = { encoding: "json", isPretty: false, shape: { kind: "object" } };

export function encodeFrame(encoding: Encoding, event: WireEvent): Uint8Array {
  return encoding === "protobuf" ? encodeWatchEvent(event as WatchEvent) : encodeValue(JSON_LINE, event);
}
