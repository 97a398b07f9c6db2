// The typed steps of a scenario, for any function that runs a call on the stage.

import { apiVersionOf, type KubeObject } from "#api/object.ts";
import type { JsonObject } from "#api/patch/json-value.ts";
import { createMergePatch } from "#api/patch/merge-patch.ts";
import type { Resource } from "#api/resource.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import type { Client, ResourceClient } from "#client/client.ts";
import { compareText } from "#kit/order.ts";
import type { ObjectSteps, ReadSteps, Scene } from "./stage.ts";

/** Runs a call of the scenario while the cluster continues to work. */
export type Run = <T>(call: (client: Client, signal: AbortSignal) => Promise<T>) => Promise<T>;

/** The functions that the steps need from a stage. */
export interface Ground {
  readonly run: Run;
  until<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T>;
  /** Called before each write of the scenario; throws if the scenario must not make it. */
  onWrite(write: ScenarioWrite): void;
  /** Called with each object that the scenario wrote, as the server answered it. */
  onWritten(kind: string, object: KubeObject): void;
}

/** A step that changes something. */
export interface ScenarioWrite {
  readonly verb: string;
  readonly resource: Resource<KubeObject>;
  readonly namespace: string | undefined;
  /** Includes the subresource: "web/status". */
  readonly name: string;
  /** For an update, the change as a JSON merge patch. */
  readonly body?: unknown;
}

/** Conflicts with another writer end after fewer attempts. */
const UPDATE_TRIES_MAX = 20;

export function readSteps<T extends KubeObject>(
  run: Run,
  resource: Resource<T>,
  namespace: string | undefined,
): ReadSteps<T> {
  const at = namespace === undefined ? {} : { namespace };
  const get = (name: string): Promise<T> =>
    run((client, signal) => client.resource(resource).get({ ...at, name }, signal));
  return {
    get,
    find: async (name) => {
      try {
        return await get(name);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    list: async (labelSelector) => {
      const selection = { ...at, ...(labelSelector === undefined ? {} : { labelSelector }) };
      const { items } = await run((client, signal) => client.resource(resource).list(selection, signal));
      return items.toSorted((a, b) => compareText(nameOf(a), nameOf(b)));
    },
  };
}

export function objectSteps<T extends KubeObject>(
  ground: Ground,
  resource: Resource<T>,
  namespace: string | undefined,
): ObjectSteps<T> {
  const at = namespace === undefined ? {} : { namespace };
  const reads = readSteps(ground.run, resource, namespace);
  const where = `${resource.resource} in ${namespace ?? "the cluster"}`;
  const write = <R>(
    verb: string,
    name: string,
    body: unknown,
    call: (objects: ResourceClient<T>, signal: AbortSignal) => Promise<R>,
  ): Promise<R> => {
    ground.onWrite({ verb, resource, namespace, name, body });
    const written = ground.run((client, signal) => call(client.resource(resource), signal));
    void written.then(
      (answer) => ground.onWritten(resource.kind, (answer ?? {}) as KubeObject),
      () => undefined,
    );
    return written;
  };
  /** A repetition after a conflict is chance and not recorded as a step. */
  const change = async (name: string, by: (object: T) => T, subresource: "" | "status"): Promise<T> => {
    for (let tries = 1; ; tries++) {
      const before = await reads.get(name);
      const object = by(before);
      const put = (objects: ResourceClient<T>, signal: AbortSignal): Promise<T> =>
        subresource === "" ? objects.update({ object }, signal) : objects.updateStatus({ object }, signal);
      try {
        if (tries > 1) return await ground.run((client, signal) => put(client.resource(resource), signal));
        // Only the change is recorded: the rest of the object comes from the server and controllers.
        const body = createMergePatch(before as JsonObject, object as unknown as JsonObject);
        return await write("update", subresource === "" ? name : `${name}/${subresource}`, body, put);
      } catch (error) {
        if (!isConflict(error) || tries === UPDATE_TRIES_MAX) throw error;
      }
    }
  };
  return {
    ...reads,
    create: (object) => {
      const body: KubeObject = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...(object as KubeObject) };
      return write("create", nameOf(body), body, (objects, signal) => objects.create({ ...at, object }, signal));
    },
    patch: (name, patch, { type = "merge", subresource } = {}) =>
      write("patch", subresource === undefined ? name : `${name}/${subresource}`, patch, (objects, signal) =>
        objects.patch({ ...at, name, type, patch, ...(subresource === undefined ? {} : { subresource }) }, signal),
      ),
    update: (name, by) => change(name, by, ""),
    updateStatus: (name, by) => change(name, by, "status"),
    delete: (name, options) =>
      write("delete", name, options, (objects, signal) =>
        objects.delete({ ...at, name, ...(options === undefined ? {} : { options }) }, signal),
      ),
    deleteAll: (options, labelSelector) =>
      write("deletecollection", labelSelector ?? "", options, (objects, signal) => {
        const selection = { ...at, ...(labelSelector === undefined ? {} : { labelSelector }) };
        return objects.deleteCollection({ ...selection, ...(options === undefined ? {} : { options }) }, signal);
      }),
    getSubresource: <S>(name: string, subresource: string) =>
      ground.run((client, signal) => client.resource(resource).getSubresource<S>({ ...at, name, subresource }, signal)),
    post: (name, subresource, object) =>
      write("create", `${name}/${subresource}`, object, (objects, signal) =>
        objects.createSubresource({ ...at, name, subresource, object }, signal),
      ),
    put: (name, subresource, object) =>
      write("update", `${name}/${subresource}`, object, (objects, signal) =>
        objects.updateSubresource({ ...at, name, subresource, object }, signal),
      ),
    until: (name, holds = () => true) => {
      let last: T | undefined;
      const probe = async (): Promise<T | undefined> => {
        last = await reads.find(name);
        return last !== undefined && holds(last) ? last : undefined;
      };
      return explained(ground.until(`${name} of ${where}: ${holds}`, probe), () => last);
    },
    untilAll: (holds) => {
      let last: readonly T[] = [];
      const probe = async (): Promise<readonly T[] | undefined> => {
        last = await reads.list();
        return holds(last) ? last : undefined;
      };
      return explained(ground.until(`${where}: ${holds}`, probe), () => last);
    },
    untilGone: async (name) => {
      let last: T | undefined;
      const probe = async (): Promise<boolean> => {
        last = await reads.find(name);
        return last === undefined;
      };
      await explained(ground.until(`the end of ${name} of ${where}`, probe), () => last);
    },
  };
}

/** Steps for tests other than scenarios. Their writes are not recorded. */
export function scene({ run, ...rest }: Omit<Scene, "of"> & { readonly run: Run }): Scene {
  const ground: Ground = { run, until: rest.until, onWrite: () => undefined, onWritten: () => undefined };
  return {
    ...rest,
    of: (resource, namespace = rest.namespace) =>
      objectSteps(ground, resource, resource.scope === "Namespaced" ? namespace : undefined),
  };
}

/** Adds the last seen value to the error of a wait that fails. */
async function explained<R>(wait: Promise<R>, last: () => unknown): Promise<R> {
  try {
    return await wait;
  } catch (error) {
    throw new Error(`${(error as Error).message}\nSeen last: ${JSON.stringify(last(), withoutHistory)}`, {
      cause: error,
    });
  }
}

function withoutHistory(key: string, value: unknown): unknown {
  return key === "managedFields" ? undefined : typeof value === "bigint" ? String(value) : value;
}

function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? "";
}
