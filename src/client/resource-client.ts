// The verbs on one resource. Each builds a Call, sends it and decodes the answer.

import { durationOfMs, formatDuration } from "#api/go-duration.ts";
import { goJson } from "#api/go-text.ts";
import type { Status } from "#api/meta.ts";
import { apiVersionOf, type KubeList, type KubeObject } from "#api/object.ts";
import { type Resource, withKind } from "#api/resource.ts";
import { ApiError } from "#api/status-error.ts";
import type { HttpBody } from "#base/http.ts";
import type {
  ObjectAddress,
  PatchType,
  ResourceClient,
  Selection,
  Verb,
  Watch,
  WatchRequest,
  WriteOptions,
} from "#client/client.ts";
import { decodeBytes, encodeText, JSON_TYPE, PROTOBUF_TYPE } from "#client/codec.ts";
import { DecodeError, InvalidRequest } from "#client/errors.ts";
import { headerValue } from "#client/headers.ts";
import { type QueryValue, queryString, type ResourcePath, resourcePath } from "#client/paths.ts";
import type { Answer, Call, Requester } from "#client/request.ts";
import { watchEvents } from "#client/watch-stream.ts";

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};
/** The body is JSON, which is valid YAML. */
const APPLY_TYPE = "application/apply-patch+yaml";

type Query = Readonly<Record<string, QueryValue>>;

function writeQuery(options: WriteOptions, force?: boolean): Query {
  return {
    dryRun: options.dryRun ? "All" : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    force: force === undefined ? undefined : String(force),
  };
}

export function selectionQuery(selection: Selection): Query {
  return { labelSelector: selection.labelSelector, fieldSelector: selection.fieldSelector };
}

/** client-go's typed clients send the timeout twice: once for requests in general and once for watches. */
export function watchQuery(request: WatchRequest): Query {
  const { timeoutSeconds } = request;
  return {
    allowWatchBookmarks: request.allowWatchBookmarks,
    ...selectionQuery(request),
    resourceVersion: request.resourceVersion,
    resourceVersionMatch: request.resourceVersionMatch,
    sendInitialEvents: request.sendInitialEvents,
    timeout: timeoutSeconds === undefined ? undefined : formatDuration(durationOfMs(timeoutSeconds * 1000)),
    timeoutSeconds,
    watch: true,
  };
}

function addressOf(object: KubeObject): ObjectAddress {
  const { namespace, name } = object.metadata ?? {};
  if (!name) throw new InvalidRequest("resource name may not be empty");
  return namespace ? { namespace, name } : { name };
}

/** A Status that is not a success is an error, regardless of its HTTP status. */
function rejectFailure<T>(value: unknown): T {
  const { kind, status } = (value ?? {}) as Status;
  if (kind === "Status" && status !== "Success") throw new ApiError(value as Status);
  return value as T;
}

/** Only lists and watches may span all namespaces. */
// Upstream: client-go/rest/request.go, requestPreflightCheck
function refuseWithoutNamespace(method: string, name: string | undefined): void {
  if (method === "POST") throw new InvalidRequest("an empty namespace may not be set during creation");
  if (name) throw new InvalidRequest("an empty namespace may not be set when a resource name is provided");
}

/** The parts that full and metadata clients share: media types, bodies, sending. */
class ResourceCalls<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly accept: string;
  readonly #requester: Requester;
  readonly #usesProtobuf: boolean;
  readonly #needsNamespace: boolean;

  constructor(requester: Requester, resource: Resource<T>, accept?: string) {
    this.resource = resource;
    // Upstream: only typed clients check; the metadata client sends what it is given, and the server answers 404.
    this.#needsNamespace = resource.scope === "Namespaced" && accept === undefined;
    this.#requester = requester;
    this.#usesProtobuf = requester.protobuf?.supports(resource) ?? false;
    const mediaType = this.#usesProtobuf ? PROTOBUF_TYPE : JSON_TYPE;
    this.accept = accept ?? `${mediaType}, */*`;
  }

  call(verb: Verb, method: string, at: ResourcePath, query: Query): Call {
    const { namespace, name, subresource } = at;
    if (this.#needsNamespace && !namespace) refuseWithoutNamespace(method, name);
    const path = resourcePath(this.resource, at);
    return {
      verb,
      method,
      path,
      query: queryString(query),
      accept: this.accept,
      resource: this.resource,
      namespace,
      name,
      subresource,
    };
  }

  /** The body in the client's content type, or the value itself for a server in this process. */
  withBody(call: Call, value: unknown, contentType: string = this.#contentType(value)): Call {
    return { ...call, contentType, body: this.#encode(value, contentType) };
  }

  /** An object of this resource, with its apiVersion and kind. */
  named<O extends KubeObject>(object: O): O {
    return withKind(object, this.resource);
  }

  async send<S>(call: Call, signal: AbortSignal): Promise<S> {
    return rejectFailure<S>(this.decode(await this.#requester.send(call, signal)));
  }

  /**
   * For callers that need only the failure. Decoding the object that a delete returns is a third of the cost of a
   * delete.
   */
  async sendOnly(call: Call, signal: AbortSignal): Promise<void> {
    await this.#requester.send(call, signal);
  }

  decode({ body, contentType, status }: Answer): unknown {
    if ("value" in body) return body.value;
    if (body.bytes.length === 0) {
      throw new DecodeError(`0-length response with status code: ${status} and content type: ${contentType}`);
    }
    return decodeBytes(body.bytes, contentType, this.#requester.protobuf);
  }

  async watch<T>(call: Call, leavesOutManagedFields: boolean, signal: AbortSignal): Promise<Watch<T>> {
    const response = await this.#requester.open(call, signal);
    if (!response) return { async *[Symbol.asyncIterator]() {} };
    const contentType = headerValue(response.headers, "content-type");
    const { protobuf } = this.#requester;
    return watchEvents<T>(response.body, { contentType, protobuf, leavesOutManagedFields });
  }

  /** Protobuf needs the kind, which the body of a subresource may lack. */
  #contentType(value: unknown): string {
    return this.#usesProtobuf && (value as KubeObject).kind !== undefined ? PROTOBUF_TYPE : JSON_TYPE;
  }

  #encode(value: unknown, contentType: string): HttpBody {
    if (value instanceof Uint8Array) return { kind: "bytes", bytes: value };
    if (this.#requester.isDirect) return { kind: "object", value };
    if (contentType === PROTOBUF_TYPE && this.#requester.protobuf) {
      return { kind: "bytes", bytes: this.#requester.protobuf.encode(value as KubeObject) };
    }
    // Raw payloads keep their spelling, because other managers compare a ControllerRevision's data as bytes.
    return { kind: "bytes", bytes: encodeText(goJson(value)) };
  }
}

/** accept: the media types to ask for, if they are not the client's. */
export function createResourceClient<T extends KubeObject>(
  requester: Requester,
  resource: Resource<T>,
  accept?: string,
): ResourceClient<T> {
  const calls = new ResourceCalls(requester, resource, accept);

  function put<B extends KubeObject, S>(request: WriteOptions & { object: B }, subresource: string | undefined) {
    const at = { ...addressOf(request.object), subresource };
    return (signal: AbortSignal): Promise<S> =>
      calls.send(
        calls.withBody(calls.call("update", "PUT", at, writeQuery(request)), calls.named(request.object)),
        signal,
      );
  }

  return {
    resource,
    get: async (request, signal) =>
      calls.send(calls.call("get", "GET", addressed(request), { resourceVersion: request.resourceVersion }), signal),
    list: async (request, signal) =>
      calls.send<KubeList<T>>(calls.call("list", "GET", { namespace: request.namespace }, listQuery(request)), signal),
    watch: async (request, signal) => {
      const call = calls.call("watch", "GET", { namespace: request.namespace }, watchQuery(request));
      return calls.watch<T>(call, request.leavesOutManagedFields ?? false, signal);
    },
    create: async (request, signal) => {
      const object = request.object as KubeObject;
      const namespace = request.namespace ?? object.metadata?.namespace;
      const call = calls.call("create", "POST", { namespace }, writeQuery(request));
      const name = object.metadata?.name;
      return calls.send(calls.withBody(name === undefined ? call : { ...call, name }, calls.named(object)), signal);
    },
    update: async (request, signal) => put<T, T>(request, undefined)(signal),
    updateStatus: async (request, signal) => put<T, T>(request, "status")(signal),
    patch: async (request, signal) => {
      const call = calls.call("patch", "PATCH", addressed(request), writeQuery(request));
      return calls.send(calls.withBody(call, request.patch, PATCH_TYPES[request.type]), signal);
    },
    apply: async (request, signal) => {
      const call = calls.call("apply", "PATCH", addressed(request), writeQuery(request, request.force));
      return calls.send(calls.withBody(call, calls.named(request.object as KubeObject), APPLY_TYPE), signal);
    },
    delete: async (request, signal) =>
      calls.sendOnly(withDeleteOptions(calls, calls.call("delete", "DELETE", addressed(request), {}), request), signal),
    deleteCollection: async (request, signal) => {
      const query = {
        ...selectionQuery(request),
        limit: request.limit,
        resourceVersion: request.resourceVersion,
      };
      const call = calls.call("deletecollection", "DELETE", { namespace: request.namespace }, query);
      await calls.sendOnly(withDeleteOptions(calls, call, request), signal);
    },
    getSubresource: async (request, signal) => calls.send(calls.call("get", "GET", addressed(request), {}), signal),
    createSubresource: async (request, signal) =>
      calls.send(
        calls.withBody(calls.call("create", "POST", addressed(request), writeQuery(request)), request.object),
        signal,
      ),
    updateSubresource: async (request, signal) =>
      calls.send(
        calls.withBody(calls.call("update", "PUT", addressed(request), writeQuery(request)), request.object),
        signal,
      ),
  };
}

export function listQuery(request: Parameters<ResourceClient["list"]>[0]): Query {
  return {
    continue: request.continue,
    ...selectionQuery(request),
    limit: request.limit,
    resourceVersion: request.resourceVersion,
    resourceVersionMatch: request.resourceVersionMatch,
    timeoutSeconds: request.timeoutSeconds,
  };
}

function addressed(request: ObjectAddress & { readonly subresource?: string }): ResourcePath {
  return { namespace: request.namespace, name: request.name, subresource: request.subresource };
}

/**
 * Delete options are always sent as JSON of the meta group, whatever the client's content type, and even when empty, as
 * in client-go.
 */
function withDeleteOptions<T extends KubeObject>(
  calls: ResourceCalls<T>,
  call: Call,
  request: { readonly options?: Parameters<ResourceClient["delete"]>[0]["options"] },
): Call {
  const options = { kind: "DeleteOptions", apiVersion: apiVersionOf({ group: "", version: "v1" }), ...request.options };
  return calls.withBody(call, options, JSON_TYPE);
}
