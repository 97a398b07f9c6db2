// Writes a status although the cached object may be stale: a refused write is repeated on the object that a live read
// returns. Upstream: pkg/controller/replicaset/replica_set_utils.go, updateReplicaSetStatus; the same in daemon.

import type { StoredObject } from "#api/resource.ts";
import type { ResourceClient } from "#client/client.ts";

/** A second failure is left to the queue's back-off. */
const TRIES_MAX = 2;

/** The object as the API server has it after the write. */
export async function updateStatus<T extends StoredObject & { readonly status?: unknown }>(
  api: Pick<ResourceClient<T>, "get" | "updateStatus">,
  object: T,
  status: NonNullable<T["status"]>,
  signal: AbortSignal,
): Promise<T> {
  const { namespace = "", name } = object.metadata;
  let target = object;
  for (let tries = 1; ; tries++) {
    try {
      return await api.updateStatus({ object: { ...target, status } }, signal);
    } catch (error) {
      if (tries >= TRIES_MAX) throw error;
    }
    target = await api.get({ namespace, name }, signal);
  }
}
