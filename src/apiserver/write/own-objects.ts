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
  const rows = core.tableOf(row);
  const { namespace = "", name = "" } = given.metadata ?? {};
  const key = keyOf(row, namespace, name);
  if (rows.get(key) !== undefined) return undefined;
  const now = core.clock.now();
  const call = internalCall(core, row, { namespace, name, subresource: "", now });
  const typed = { kind: row.stored.kind, apiVersion: call.endpoint.apiVersion, ...given };
  const owned = recordUpdate(core, call, undefined, typed, "kube-apiserver");
  const object = withMeta(more(owned), { uid: core.rng.uids.uuid(), creationTimestamp: formatTime(now) });
  return rows.create(key, (revision) => withResourceVersion(object, revision));
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
