// The object that a request addresses, and the names that can be one.

import { isPathSegmentName } from "#api/names.ts";
import { newBadRequest, newNotFound } from "#api/status-error.ts";
import { keyOf, type ResourceCall, type ServerCore } from "./core.ts";
import type { StoredVersion } from "./storage/storage.ts";

/** The object that the call addresses; throws a 404 without one and a 400 for a name that cannot be one. */
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
