// Finds the object that a request addresses, and checks its name.

import { isPathSegmentName } from "#api/names.ts";
import { newBadRequest, newNotFound } from "#api/status-error.ts";
import { keyOf, type ResourceCall, type ServerCore } from "./core.ts";
import type { StoredVersion } from "./storage/storage.ts";

/** Throws a 404 if the object does not exist, and a 400 for an invalid name. */
export function findObject(core: ServerCore, call: ResourceCall): StoredVersion {
  const { endpoint, namespace, name } = call;
  const stored = core.tableOf(endpoint.row).get(keyOf(endpoint.row, namespace, name));
  if (stored !== undefined) return stored;
  checkName(name);
  throw newNotFound(endpoint.groupResource, name);
}

/** Upstream: pkg/registry/generic/registry/store.go, NamespaceKeyFunc */
export function checkName(name: string): void {
  const complaints = isPathSegmentName(name);
  if (complaints.length > 0) throw newBadRequest(`Name parameter invalid: "${name}": ${complaints.join(";")}`);
}
