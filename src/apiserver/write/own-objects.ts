// Objects that the server itself makes and removes: no admission is asked, and nobody waits.

import type { KubeObject } from "#api/object.ts";
import { withMeta, withResourceVersion } from "#api/object-meta.ts";
import { formatTime } from "#api/time.ts";
import { assert } from "#base/assert.ts";
import { internalCall } from "../admission/internal-call.ts";
import { keyOf, type ServerCore } from "../core.ts";
import { recordUpdate } from "../managed-fields.ts";
import type { KindRow } from "../registry.ts";
import { type StorageKey, StorageWriteFailed, type StoredVersion } from "../storage/storage.ts";
import { markAsDeleting } from "./graceful-deletion.ts";

export function rowNamed(core: ServerCore, table: string): KindRow {
  const row = core.registry.row(table);
  assert(row !== undefined, `${table} are not served`);
  return row;
}

/**
 * Stores an object whose given fields the server owns; `more` adds those that nobody owns. Undefined: its name is taken.
 */
export function createOwn(
  core: ServerCore,
  table: string,
  given: KubeObject,
  more: (object: KubeObject) => KubeObject = (object) => object,
): StoredVersion | undefined {
  const row = rowNamed(core, table);
  if (core.tableOf(row).get(keyOfObject(row, given)) !== undefined) return undefined;
  return storeOwn(core, row, more(ownedByServer(core, row, given)));
}

const MANAGER = "kube-apiserver";

/** The object with its type, and the server as the owner of its fields. */
function ownedByServer(core: ServerCore, row: KindRow, given: KubeObject, manager = MANAGER): KubeObject {
  const { namespace = "", name = "" } = given.metadata ?? {};
  const call = internalCall(core, row, { namespace, name, subresource: "", now: core.clock.now() });
  const typed = { kind: row.stored.kind, apiVersion: call.endpoint.apiVersion, ...given };
  return recordUpdate(core, call, undefined, typed, manager);
}

/**
 * The same for many objects of a kind whose lists are atomic: those with the same fields have the same managed fields,
 * which take long to find out.
 */
export function ownedByShape(
  core: ServerCore,
  row: KindRow,
  manager: string = MANAGER,
): (object: KubeObject) => KubeObject {
  const byShape = new Map<string, KubeObject>();
  return (object) => {
    const shape = shapeOf(object);
    const owned = byShape.get(shape) ?? ownedByServer(core, row, object, manager);
    byShape.set(shape, owned);
    const { kind, apiVersion, metadata } = owned;
    return withMeta({ kind, apiVersion, ...object } as KubeObject, { managedFields: metadata?.managedFields });
  };
}

function shapeOf(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value === null ? "null" : "";
  return `{${Object.entries(value)
    .map(([key, item]) => key + shapeOf(item))
    .join()}}`;
}

/** Replaces a stored object; the server comes to own what it changes. */
export function updateOwn(
  core: ServerCore,
  row: KindRow,
  existing: StoredVersion,
  changed: KubeObject,
  manager: string = MANAGER,
): void {
  const { namespace = "", name = "" } = changed.metadata ?? {};
  const call = internalCall(core, row, { namespace, name, subresource: "", now: core.clock.now() });
  const object = recordUpdate(core, call, existing.object, changed, manager);
  core.tableOf(row).update(existing, (revision) => withResourceVersion(object, revision));
}

/** Undefined: its name is taken. */
export function storeOwn(core: ServerCore, row: KindRow, given: KubeObject): StoredVersion | undefined {
  const creationTimestamp = formatTime(core.clock.now());
  const object = withMeta(given, { uid: core.rng.uids.uuid(), creationTimestamp });
  return core.tableOf(row).create(keyOfObject(row, object), (revision) => withResourceVersion(object, revision));
}

export function keyOfObject(row: KindRow, { metadata = {} }: KubeObject): StorageKey {
  return keyOf(row, metadata.namespace ?? "", metadata.name ?? "");
}

/** Finalizers keep it, marked, until they are gone. What cannot be removed now is an orphan until the server starts again. */
export function deleteOwn(core: ServerCore, table: string, key: StorageKey): void {
  const rows = core.tableOf(rowNamed(core, table));
  const existing = rows.get(key);
  if (existing === undefined) return;
  const { object } = existing;
  try {
    if ((object.metadata?.finalizers?.length ?? 0) === 0) {
      rows.delete(existing, (revision) => withResourceVersion(object, revision));
    } else if (object.metadata?.deletionTimestamp === undefined) {
      rows.update(existing, (revision) => withResourceVersion(markAsDeleting(object, core.clock.now()), revision));
    }
  } catch (error) {
    if (!(error instanceof StorageWriteFailed)) throw error;
    core.log.error(error, "Could not delete an object of the server's own", { table, key });
  }
}
