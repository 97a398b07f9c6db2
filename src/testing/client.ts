// The client of the testing library: the verbs on one resource in one namespace, typed by the resource's handle.

import type { DeleteOptions } from "#api/meta.ts";
import type { WatchEvent } from "#api/object.ts";
import type { Applied, Draft, Resource, StoredObject } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import type { Client, PatchType, RawRequest, RawResponse, ResourceClient } from "#client/client.ts";

/** Objects that match both selectors, in wire form: "app=web,tier!=cache", "status.phase=Running". */
export interface ObjectSelection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface PatchOptions {
  /** "merge" unless given. */
  readonly type?: PatchType;
  /** For example "status" or "scale". */
  readonly subresource?: string;
}

export interface ApplyOptions {
  /** "steersman-testing" unless given. */
  readonly fieldManager?: string;
  readonly force?: boolean;
}

/** Failures are ApiErrors: isNotFound, isConflict and other predicates distinguish them. */
export interface ResourceCalls<T extends StoredObject> {
  get(name: string): Promise<T>;
  /** Undefined when the object does not exist. */
  find(name: string): Promise<T | undefined>;
  list(selection?: ObjectSelection): Promise<readonly T[]>;
  create(object: Draft<T>): Promise<T>;
  /** The object's resourceVersion guards the write. */
  update(object: T): Promise<T>;
  updateStatus(object: T): Promise<T>;
  patch(name: string, patch: unknown, options?: PatchOptions): Promise<T>;
  /** Server-side apply. */
  apply(name: string, object: Applied<T>, options?: ApplyOptions): Promise<T>;
  delete(name: string, options?: DeleteOptions): Promise<void>;
  /** The existing objects as ADDED, then every change, until the loop ends or the signal aborts. */
  watch(selection?: ObjectSelection, signal?: AbortSignal): AsyncIterable<WatchEvent<T>>;
}

export interface TestingClient {
  /** namespace: "default" unless given; "" means all namespaces in list and watch. */
  of<T extends StoredObject>(resource: Resource<T>, namespace?: string): ResourceCalls<T>;
  /** Any path: discovery, health, a subresource. Statuses from 400 up are thrown as ApiErrors. */
  raw(request: RawRequest, signal?: AbortSignal): Promise<RawResponse>;
}

/** Runs the cluster until the call has ended. */
export type Drive = <T>(call: Promise<T>) => Promise<T>;

const FIELD_MANAGER = "steersman-testing";

export function testingClient(client: Client, drive: Drive, signal: AbortSignal): TestingClient {
  return {
    raw: (request, own = signal) => drive(client.raw(request, own)),
    of<T extends StoredObject>(handle: Resource<T>, namespace = "default"): ResourceCalls<T> {
      const calls = client.resource(handle);
      const place = handle.scope === "Namespaced" ? { namespace } : {};
      const create = (object: Draft<T>): Promise<T> => {
        const own = object.metadata?.namespace;
        return calls.create({ ...(own === undefined ? place : {}), object }, signal);
      };
      return {
        get: (name) => drive(calls.get({ ...place, name }, signal)),
        find: (name) => drive(found(calls.get({ ...place, name }, signal))),
        list: async (selection = {}) => (await drive(calls.list({ ...place, ...selection }, signal))).items,
        create: (object) => drive(create(object)),
        update: (object) => drive(calls.update({ object }, signal)),
        updateStatus: (object) => drive(calls.updateStatus({ object }, signal)),
        patch: (name, patch, { type = "merge", subresource } = {}) =>
          drive(
            calls.patch({ ...place, name, type, patch, ...(subresource === undefined ? {} : { subresource }) }, signal),
          ),
        apply: (name, object, { fieldManager = FIELD_MANAGER, force = false } = {}) =>
          drive(calls.apply({ ...place, name, object: named(object, name), fieldManager, force }, signal)),
        delete: (name, options) =>
          drive(calls.delete({ ...place, name, ...(options === undefined ? {} : { options }) }, signal)),
        watch: (selection = {}, own = signal) => eventsOf(calls, { ...place, ...selection }, own),
      };
    },
  };
}

function named<T extends StoredObject>(object: Applied<T>, name: string): Applied<T> {
  return { ...object, metadata: { ...object.metadata, name } };
}

async function found<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}

async function* eventsOf<T extends StoredObject>(
  calls: ResourceClient<T>,
  selection: ObjectSelection & { readonly namespace?: string },
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  for await (const batch of await calls.watch(selection, signal)) yield* batch;
}
