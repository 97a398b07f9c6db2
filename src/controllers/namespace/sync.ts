// Syncs one namespace: sets its phase, deletes its content, and removes the finalizer.
// Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go, Delete.

import type { ObjectKey } from "#api/object.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { type ContentDeps, deleteAllContent } from "./content.ts";
import type { StoredNamespace } from "./namespace-api.ts";

export interface Deps extends ContentDeps {
  readonly namespaces: SharedInformer<StoredNamespace>;
}

export async function syncNamespace(name: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const { api, log } = deps;
  if (deps.namespaces.lister.get(name) === undefined) {
    log.info("Namespace has been deleted", { namespace: name });
    return done;
  }
  // Other clients write to a namespace that is being deleted, so the cached one is too old.
  const found = await api.get(name, signal);
  if (found?.metadata.deletionTimestamp === undefined) return done;
  const namespace = await api.markTerminating(found, signal);
  const deletedAt = namespace?.metadata.deletionTimestamp;
  if (namespace === undefined || deletedAt === undefined) return done;
  if ((namespace.spec?.finalizers ?? []).length === 0) return done;

  const estimateSeconds = await deleteAllContent(namespace, deletedAt, deps, signal);
  if (estimateSeconds > 0) {
    const waitSeconds = Math.floor(estimateSeconds / 2) + 1;
    log.v(4).info("Content remaining in namespace", { namespace: name, waitSeconds });
    return requeueAfter(waitSeconds * 1000, "content remains", { keepsFailures: true });
  }
  await api.finalize(namespace, signal);
  return done;
}
