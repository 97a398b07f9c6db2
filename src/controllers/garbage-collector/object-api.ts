// Live reads and writes of objects of any kind, by identity, with metadata only. The REST mapper knows the resource and
// scope of a kind.
// Upstream: pkg/controller/garbagecollector/operations.go, patch.go.

import type { DeleteOptions, ObjectMeta } from "#api/meta.ts";
import { type ObjectKey, parseApiVersion } from "#api/object.ts";
import type { Resource } from "#api/resource.ts";
import { isConflict, isNotFound, isUnsupportedMediaType } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { type BackoffDeps, defaultBackoff, retryOnError } from "#base/go-backoff.ts";
import type { Client, MetadataClient, PatchType } from "#client/client.ts";
import type { RestMapper } from "#client/rest-mapper.ts";
import { type Identity, identityText } from "./identity.ts";
import { isSameReferences } from "./owner-changes.ts";
import { dropFinalizerMerge, type MetadataPatch } from "./patches.ts";
import type { Propagation } from "./verdict.ts";

/** No resource serves the kind: it may not exist, or not be discovered yet. */
export class UnmappedKind extends Error {
  override readonly name = "UnmappedKind";
  constructor(apiVersion: string, kind: string, options: ErrorOptions) {
    super(`unable to get REST mapping for ${apiVersion}/${kind}.`, options);
  }
}

/** No retry can fix this reference. */
export class NamespacedOwnerOfClusterObject extends Error {
  override readonly name = "NamespacedOwnerOfClusterObject";
  constructor() {
    super("cluster-scoped objects cannot refer to namespaced owners");
  }
}

export interface ObjectApiOptions extends BackoffDeps {
  readonly client: Client;
  readonly restMapper: RestMapper;
  /** The object's metadata in a cache, if the resource is watched. */
  readonly cached: (resource: Resource, key: ObjectKey) => ObjectMeta | undefined;
}

export interface ServedKind {
  readonly isNamespaced: boolean;
  readonly api: MetadataClient;
}

export class ObjectApi {
  readonly #options: ObjectApiOptions;
  readonly #served = new WeakMap<Resource, ServedKind>();

  constructor(options: ObjectApiOptions) {
    this.#options = options;
  }

  async kind({ apiVersion, kind }: Pick<Identity, "apiVersion" | "kind">, signal: AbortSignal): Promise<ServedKind> {
    const { group, version } = parseApiVersion(apiVersion);
    const { client, restMapper } = this.#options;
    try {
      const resource = await restMapper.mapping({ group, kind }, [version], signal);
      let served = this.#served.get(resource);
      if (served === undefined) {
        served = { api: client.metadata(resource), isNamespaced: resource.scope === "Namespaced" };
        this.#served.set(resource, served);
      }
      return served;
    } catch (cause) {
      signal.throwIfAborted();
      throw new UnmappedKind(apiVersion, kind, { cause });
    }
  }

  async get(identity: Identity, signal: AbortSignal): Promise<ObjectMeta> {
    const kind = await this.kind(identity, signal);
    if (kind.isNamespaced && identity.namespace === "") throw new NamespacedOwnerOfClusterObject();
    return (await kind.api.get(addressOf(identity, kind), signal)).metadata;
  }

  /**
   * Deletes the object as it was read. If it has changed since, but not in its owners, the second attempt requires only
   * the same UID, so that an object that changes all the time is still deleted.
   */
  async delete(identity: Identity, live: ObjectMeta, policy: Propagation, signal: AbortSignal): Promise<void> {
    const kind = await this.kind(identity, signal);
    const address = addressOf(identity, kind);
    const { uid } = identity;
    const { resourceVersion } = live;
    const remove = (preconditions: DeleteOptions["preconditions"] & {}): Promise<void> =>
      kind.api.delete({ ...address, options: { preconditions, propagationPolicy: policy } }, signal);
    if (!resourceVersion) return remove({ uid });
    try {
      await remove({ uid, resourceVersion });
    } catch (conflict) {
      if (!isConflict(conflict)) throw conflict;
      const current = await currentOrUndefined(kind.api, address, signal);
      const isSame =
        current?.uid === uid &&
        current.resourceVersion !== resourceVersion &&
        isSameReferences(current.ownerReferences, live.ownerReferences);
      if (!isSame) throw conflict;
      await remove({ uid });
    }
  }

  /**
   * Sends a strategic merge patch, or for kinds without such patches the result of `merge` for the current metadata.
   */
  async patch(
    identity: Identity,
    strategic: MetadataPatch,
    merge: (current: ObjectMeta) => MetadataPatch,
    signal: AbortSignal,
  ): Promise<void> {
    const kind = await this.kind(identity, signal);
    try {
      await send(kind, identity, "strategic", strategic, signal);
    } catch (error) {
      if (!isUnsupportedMediaType(error)) throw error;
      await send(kind, identity, "merge", merge(await this.#metadata(kind, identity, signal)), signal);
    }
  }

  /** Does nothing if the object is gone or has no such finalizer. */
  async removeFinalizer(identity: Identity, finalizer: string, signal: AbortSignal): Promise<void> {
    const attempt = async (): Promise<void> => {
      const current = await this.#getToFinalize(identity, signal);
      const patch = current && dropFinalizerMerge(current, finalizer);
      if (patch) await send(await this.kind(identity, signal), identity, "merge", patch, signal);
    };
    try {
      await retryOnError(defaultBackoff, isConflict, attempt, this.#options, signal);
    } catch (cause) {
      if (!isConflict(cause)) throw cause;
      const owner = identityText(identity);
      throw new Error(
        `updateMaxRetries(${defaultBackoff.steps}) has reached. The garbage collector will retry later for owner ${owner}`,
        { cause },
      );
    }
  }

  async #getToFinalize(identity: Identity, signal: AbortSignal): Promise<ObjectMeta | undefined> {
    try {
      return await this.get(identity, signal);
    } catch (cause) {
      if (isNotFound(cause)) return undefined;
      signal.throwIfAborted();
      const why = `cannot get it: ${errorMessage(cause)}. The garbage collector will retry later`;
      throw new Error(`cannot finalize owner ${identityText(identity)}, because ${why}`, { cause });
    }
  }

  async #metadata(kind: ServedKind, identity: Identity, signal: AbortSignal): Promise<ObjectMeta> {
    const address = addressOf(identity, kind);
    const key = address.namespace === undefined ? address.name : `${address.namespace}/${address.name}`;
    return this.#options.cached(kind.api.resource, key) ?? (await kind.api.get(address, signal)).metadata;
  }
}

/** The identity of a virtual node may carry a namespace although its kind is cluster-scoped. */
function addressOf(
  { namespace, name }: Pick<Identity, "namespace" | "name">,
  { isNamespaced }: ServedKind,
): { readonly namespace?: string; readonly name: string } {
  return isNamespaced ? { namespace, name } : { name };
}

async function send(
  kind: ServedKind,
  identity: Identity,
  type: PatchType,
  patch: MetadataPatch,
  signal: AbortSignal,
): Promise<void> {
  await kind.api.patch({ ...addressOf(identity, kind), type, patch }, signal);
}

/** NotFound is an answer; after another failure the conflict remains. */
async function currentOrUndefined(
  api: MetadataClient,
  address: { readonly namespace?: string; readonly name: string },
  signal: AbortSignal,
): Promise<ObjectMeta | undefined> {
  try {
    return (await api.get(address, signal)).metadata;
  } catch (error) {
    signal.throwIfAborted();
    if (isNotFound(error)) throw error;
    return undefined;
  }
}
