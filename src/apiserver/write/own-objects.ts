// Objects that the server itself creates and deletes, without admission and without a client.

import { apiVersionOf, type KubeObject } from "#api/object.ts";
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
 * Stores an object. The server owns the given fields; `more` adds fields without an owner. Undefined if the name is
 * taken.
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

/** The object with its kind, and the server as the owner of its fields. */
function ownedByServer(core: ServerCore, row: KindRow, given: KubeObject): KubeObject {
  const { namespace = "", name = "" } = given.metadata ?? {};
  const call = internalCall(core, row, { namespace, name, subresource: "", now: core.clock.now() });
  const typed = { kind: row.stored.kind, apiVersion: call.endpoint.apiVersion, ...given };
  return recordUpdate(core, call, undefined, typed, MANAGER);
}

/** The same for an object whose owned fields are known: computing them is slow at a start. */
export function withOwnedFields(
  core: ServerCore,
  row: KindRow,
  given: KubeObject,
  fieldsV1: Readonly<Record<string, unknown>>,
  manager: string = MANAGER,
): KubeObject {
  const { kind } = row.stored;
  const apiVersion = apiVersionOf(row.stored);
  const time = formatTime(core.clock.now());
  const owner = { manager, operation: "Update", apiVersion, time, fieldsType: "FieldsV1", fieldsV1 };
  return withMeta({ kind, apiVersion, ...given } as KubeObject, { managedFields: [owner] });
}

/** Replaces a stored object; the server then owns the changed fields. */
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

/** Undefined: the name is taken. */
export function storeOwn(core: ServerCore, row: KindRow, given: KubeObject): StoredVersion | undefined {
  const creationTimestamp = formatTime(core.clock.now());
  const object = withMeta(given, { uid: core.rng.uids.uuid(), creationTimestamp });
  return core.tableOf(row).create(keyOfObject(row, object), (revision) => withResourceVersion(object, revision));
}

export function keyOfObject(row: KindRow, { metadata = {} }: KubeObject): StorageKey {
  return keyOf(row, metadata.namespace ?? "", metadata.name ?? "");
}

/** With finalizers the object is only marked. If the delete fails, the object is an orphan until the next start. */
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
    core.log.error(error, "Could not delete an object that the server created", { table, key });
  }
}
