// Deletes one object: at once, or by marking it while its grace period runs or finalizers keep it.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go, Delete

import type { DeleteOptions, Status } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import { withResourceVersion } from "#api/object-meta.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import { newNotFound } from "#api/status-error.ts";
import type { Deleted } from "#kinds/hooks.ts";
import { isDryRun } from "#kinds/parts/delete-options.ts";
import { withPropagation } from "#kinds/parts/propagation.ts";
import { checkName } from "../addressed-object.ts";
import { admissionAttributes, keyOf, type ResourceCall, type ServerCore, strategyContext } from "../core.ts";
import type { StoredVersion } from "../storage/storage.ts";
import { beginDeletion, markAsDeleting } from "./graceful-deletion.ts";
import { preconditionFailed } from "./storage-errors.ts";

export async function deleteObject(
  core: ServerCore,
  call: ResourceCall,
  options: DeleteOptions,
  signal: AbortSignal,
): Promise<Deleted> {
  const { endpoint, namespace, name } = call;
  const { row } = endpoint;
  checkName(name);
  row.beforeDelete?.(call, options);
  const key = keyOf(row, namespace, name);
  const table = core.tableOf(row);
  for (;;) {
    signal.throwIfAborted();
    const existing = table.get(key);
    if (existing === undefined) throw newNotFound(endpoint.groupResource, name);
    const result =
      (await row.deletion?.(core, call, existing, options, signal)) ??
      (await deleteOnce(core, call, existing, options, signal));
    if (result !== "retry") return result;
  }
}

/** "retry" if the object changed meanwhile. */
async function deleteOnce(
  core: ServerCore,
  call: ResourceCall,
  existing: StoredVersion,
  options: DeleteOptions,
  signal: AbortSignal,
): Promise<Deleted | "retry"> {
  const { row } = call.endpoint;
  const start = beginDeletion(row, existing.object, options, strategyContext(core, call, isDryRun(options)));
  if (start.kind === "pending") return finished(call, existing.object, false);
  const marked = withPropagation(row.strategy, start.object, options);
  const hasFinalizers = (marked.metadata?.finalizers?.length ?? 0) > 0;
  await admitDeletion(core, call, existing.object, options, signal);
  if (start.kind === "immediate" && !hasFinalizers) return removeNow(core, call, existing, options, existing.object);
  const next = start.kind === "immediate" ? markAsDeleting(marked, call.context.receivedMs) : marked;
  const written = write(core, call, existing, next, options);
  if (written === undefined) return "retry";
  if (hasFinalizers || (start.kind === "graceful" && start.graceSeconds > 0)) {
    return { isDeleted: false, object: written.object, status: undefined };
  }
  if (isDryRun(options)) return { isDeleted: true, object: written.object, status: undefined };
  return removeNow(core, call, written as StoredVersion, withoutVersion(options), written.object);
}

export async function admitDeletion(
  core: ServerCore,
  call: ResourceCall,
  oldObject: KubeObject,
  options: DeleteOptions,
  signal: AbortSignal,
): Promise<void> {
  const attributes = admissionAttributes(call, "DELETE", options, { oldObject });
  await core.admission.admit(attributes, signal);
  await core.admission.validate(attributes, signal);
}

/** Undefined: the object changed meanwhile. An unchanged object is not written. */
export function write(
  core: ServerCore,
  call: ResourceCall,
  existing: StoredVersion,
  next: KubeObject,
  options: DeleteOptions,
): StoredVersion | { readonly object: KubeObject } | undefined {
  if (deepEqual(next, existing.object)) return existing;
  if (isDryRun(options)) return { object: next };
  return core.tableOf(call.endpoint.row).update(existing, (revision) => withResourceVersion(next, revision));
}

function removeNow(
  core: ServerCore,
  call: ResourceCall,
  existing: StoredVersion,
  options: DeleteOptions,
  object: KubeObject,
): Deleted | "retry" {
  const { preconditions } = options;
  const { uid = "", resourceVersion = "" } = existing.object.metadata ?? {};
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw preconditionFailed(call, existing.key, "UID", [preconditions.uid, uid]);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw preconditionFailed(call, existing.key, "ResourceVersion", [preconditions.resourceVersion, resourceVersion]);
  }
  if (isDryRun(options)) return finished(call, object, true);
  const { row } = call.endpoint;
  const gone = core.tableOf(row).delete(existing, (revision) => withResourceVersion(object, revision));
  if (gone === undefined) return "retry";
  row.afterDelete?.(gone.object);
  return finished(call, gone.object, true);
}

/** Marking the object gave it a new version, which the client cannot know. */
function withoutVersion({ preconditions, ...options }: DeleteOptions): DeleteOptions {
  return preconditions?.uid === undefined ? options : { ...options, preconditions: { uid: preconditions.uid } };
}

/** Upstream: finalizeDelete */
function finished({ endpoint }: ResourceCall, object: KubeObject, isDeleted: boolean): Deleted {
  if (endpoint.row.returnsDeletedObject) return { isDeleted, object, status: undefined };
  const { name = "", uid = "" } = object.metadata ?? {};
  const { group, resource } = endpoint.groupResource;
  const details = { name, ...(group === "" ? {} : { group }), kind: resource, uid };
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
  return { isDeleted, object: undefined, status };
}
