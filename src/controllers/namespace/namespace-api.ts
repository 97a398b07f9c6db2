// The writes to a namespace that is being deleted. Other clients also write to it, so after a conflict the write is
// repeated on the newest namespace until it succeeds.
// Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go, retryOnConflictError, finalizeNamespace.

import type { Namespaces } from "#api/generated/resources/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import type { ResourceClient } from "#client/client.ts";
import { compareText } from "#kit/order.ts";
import { tolerate } from "#kit/tolerate.ts";

export type StoredNamespace = ObjectOf<typeof Namespaces>;
export type NamespaceStatus = NonNullable<StoredNamespace["status"]>;

const FINALIZER = "kubernetes";

export class NamespaceApi {
  readonly #client: ResourceClient<StoredNamespace>;

  constructor(client: ResourceClient<StoredNamespace>) {
    this.#client = client;
  }

  /** Undefined: the namespace is gone. */
  get(name: string, signal: AbortSignal): Promise<StoredNamespace | undefined> {
    return tolerate(this.#client.get({ name }, signal), isNotFound);
  }

  /** The namespace in the phase Terminating, or undefined when it is gone. */
  async markTerminating(namespace: StoredNamespace, signal: AbortSignal): Promise<StoredNamespace | undefined> {
    const marked = this.#despiteConflicts(namespace, signal, async (namespace) => {
      const { metadata, status } = namespace;
      if (metadata.deletionTimestamp === undefined || status?.phase === "Terminating") return namespace;
      return await this.updateStatus(namespace, { ...status, phase: "Terminating" }, signal);
    });
    return await tolerate(marked, isNotFound);
  }

  updateStatus(namespace: StoredNamespace, status: NamespaceStatus, signal: AbortSignal): Promise<StoredNamespace> {
    return this.#client.updateStatus({ object: { ...namespace, status } }, signal);
  }

  /** Removes the finalizer of this controller. Does nothing if the namespace is gone. */
  async finalize(namespace: StoredNamespace, signal: AbortSignal): Promise<void> {
    const finalized = this.#despiteConflicts(namespace, signal, async ({ metadata, spec }) => {
      const object = {
        apiVersion: "v1",
        kind: "Namespace",
        metadata,
        spec: { finalizers: otherFinalizers(spec?.finalizers ?? []) },
        status: {},
      };
      return await this.#client.updateSubresource({ name: metadata.name, subresource: "finalize", object }, signal);
    });
    await tolerate(finalized, isNotFound);
  }

  async #despiteConflicts<T>(
    namespace: StoredNamespace,
    signal: AbortSignal,
    write: (namespace: StoredNamespace) => Promise<T>,
  ): Promise<T> {
    const { name, uid } = namespace.metadata;
    for (let latest = namespace; ; ) {
      try {
        return await write(latest);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
      latest = await this.#client.get({ name }, signal);
      if (latest.metadata.uid !== uid) throw new Error("namespace uid has changed across retries");
    }
  }
}

/** Each finalizer once and in order, without this controller's. */
function otherFinalizers(finalizers: readonly string[]): readonly string[] {
  return [...new Set(finalizers)].filter((finalizer) => finalizer !== FINALIZER).toSorted(compareText);
}
