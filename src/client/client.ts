// The REST client as the rest of the program sees it: one resource client per resource, one request object
// per call, an AbortSignal last. create-client.ts builds it over a Transport.

import type { DeleteOptions } from "#api/meta.ts";
import type { GroupVersionResource, KubeList, KubeObject, WatchEvent } from "#api/object.ts";
import type { Applied, Draft, PartialObjectMetadata, Resource, StoredObject } from "#api/resource.ts";

/** Where an object lives. An empty or absent namespace means cluster-scoped. */
export interface ObjectAddress {
  readonly namespace?: string;
  readonly name: string;
}

export interface GetRequest extends ObjectAddress {
  readonly resourceVersion?: string;
}

export interface Selection {
  /** Absent or empty: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string;
  /** In wire form, for example "app=web,tier!=cache". */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListRequest extends Selection {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  readonly limit?: number;
  readonly continue?: string;
  readonly timeoutSeconds?: number;
}

export interface WatchRequest extends Selection {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan";
  readonly timeoutSeconds?: number;
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  /**
   * For a reader that changes no object and does not use managedFields: events are then cheaper to decode.
   * managedFields may be missing, and objects may share parts.
   */
  readonly leavesOutManagedFields?: boolean;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

export interface CreateRequest<T extends KubeObject> extends WriteOptions {
  /** Defaults to the object's own namespace. */
  readonly namespace?: string;
  readonly object: Draft<T>;
}

/** Name and namespace are the object's own. */
export interface UpdateRequest<T extends KubeObject> extends WriteOptions {
  readonly object: T;
}

export type PatchType = "json" | "merge" | "strategic";

export interface PatchRequest extends ObjectAddress, WriteOptions {
  readonly type: PatchType;
  /** A JSON value, or the encoded patch. */
  readonly patch: unknown;
  readonly subresource?: string;
}

/** A server-side apply. */
export interface ApplyRequest<T extends KubeObject> extends ObjectAddress, WriteOptions {
  readonly object: Applied<T>;
  readonly fieldManager: string;
  /** Upstream's typed clients send false explicitly; its dynamic client leaves the field out. */
  readonly force?: boolean;
  readonly subresource?: string;
}

export interface DeleteRequest extends ObjectAddress {
  readonly options?: DeleteOptions;
}

export interface DeleteCollectionRequest extends Selection {
  readonly resourceVersion?: string;
  readonly limit?: number;
  readonly options?: DeleteOptions;
}

export interface SubresourceRequest extends ObjectAddress, WriteOptions {
  readonly subresource: string;
}

/**
 * An open watch. Iterating yields batches of decoded events in order, and throws when the stream is
 * cut; it ends normally when the server closed the watch. One consumer; leaving the loop frees the
 * connection, and so does `return()` of the iterator, or the abort of the signal given to watch().
 */
export interface Watch<T> extends AsyncIterable<readonly WatchEvent<T>[]> {}

/**
 * The verbs on one resource. Objects that come back are exactly the JSON on the wire: items of a
 * list carry no apiVersion and kind, and in-process servers hand over deeply frozen values. Objects
 * that are written get the resource's apiVersion and kind.
 */
export interface ResourceClient<T extends KubeObject = StoredObject> {
  readonly resource: Resource<T>;
  get(request: GetRequest, signal: AbortSignal): Promise<T>;
  list(request: ListRequest, signal: AbortSignal): Promise<KubeList<T>>;
  watch(request: WatchRequest, signal: AbortSignal): Promise<Watch<T>>;
  create(request: CreateRequest<T>, signal: AbortSignal): Promise<T>;
  update(request: UpdateRequest<T>, signal: AbortSignal): Promise<T>;
  updateStatus(request: UpdateRequest<T>, signal: AbortSignal): Promise<T>;
  patch(request: PatchRequest, signal: AbortSignal): Promise<T>;
  apply(request: ApplyRequest<T>, signal: AbortSignal): Promise<T>;
  /** The body of a successful answer (the object or a Status) is not decoded: no caller needs it. */
  delete(request: DeleteRequest, signal: AbortSignal): Promise<void>;
  deleteCollection(request: DeleteCollectionRequest, signal: AbortSignal): Promise<void>;
  getSubresource<S>(request: SubresourceRequest, signal: AbortSignal): Promise<S>;
  /** POST, as for eviction, binding and token. */
  createSubresource<B, S = B>(request: SubresourceRequest & { readonly object: B }, signal: AbortSignal): Promise<S>;
  /** PUT, as for scale, approval and finalize. */
  updateSubresource<B, S = B>(request: SubresourceRequest & { readonly object: B }, signal: AbortSignal): Promise<S>;
}

/** The verbs that work on metadata alone. */
export interface MetadataClient<T extends StoredObject = StoredObject>
  extends Pick<
    ResourceClient<PartialObjectMetadata<T>>,
    "get" | "list" | "watch" | "patch" | "delete" | "deleteCollection"
  > {
  readonly resource: Resource<T>;
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: Uint8Array;
}

export interface RawResponse {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly bytes: Uint8Array;
  /** The decoded document, when the server runs in this process. It is shared and must not be changed. */
  readonly value?: unknown;
}

export interface Client {
  /** Resource clients are cheap and may be kept. */
  resource<T extends KubeObject>(resource: Resource<T>): ResourceClient<T>;
  /** The same resource as PartialObjectMetadata. */
  metadata<T extends StoredObject>(resource: Resource<T>): MetadataClient<T>;
  /** Any path: discovery, health, version. Statuses from 400 up are thrown as ApiError. */
  raw(request: RawRequest, signal: AbortSignal): Promise<RawResponse>;
}

export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "apply"
  | "delete"
  | "deletecollection"
  | "raw";

/** One finished request, retries included, as reported to the trace. */
export interface RequestRecord {
  readonly verb: Verb;
  readonly path: string;
  readonly query: string;
  readonly resource?: GroupVersionResource;
  readonly namespace?: string;
  /** Absent for a create with generateName. */
  readonly name?: string;
  readonly subresource?: string;
  /** The HTTP status, or 0 when no answer came. */
  readonly status: number;
  readonly attempts: number;
}

/**
 * Called once per finished request; for a watch, once when it opens. The signal is the one that the caller passed, so a
 * caller that gives each sync a separate signal can tell which sync made the request.
 */
export type RequestTrace = (record: RequestRecord, signal: AbortSignal) => void;
