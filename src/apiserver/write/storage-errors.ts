// Conflict errors in the words of upstream's storage layer, including the key.
// Upstream: k8s.io/apiserver/pkg/storage/errors.go and interfaces.go, Preconditions.Check

import { type ApiError, newConflict } from "#api/status-error.ts";
import type { ResourceCall } from "../core.ts";
import type { StorageKey } from "../storage/storage.ts";

export const OPTIMISTIC_LOCK =
  "the object has been modified; please apply your changes to the latest version and try again";

type Property = "UID" | "ResourceVersion";

/** A precondition of the client does not hold. */
export function preconditionFailed(
  { endpoint, name }: Pick<ResourceCall, "endpoint" | "name">,
  key: StorageKey,
  property: Property,
  [wanted, actual]: readonly [wanted: string, actual: string],
  dryRun = false,
): ApiError {
  const message = `Precondition failed: ${property} in precondition: ${wanted}, ${property} in object meta: ${actual}`;
  // A dry run is refused before the store adds its prefix to the key.
  const prefix = dryRun ? "" : "/registry";
  const where = `Code: 4, Key: ${prefix}/${endpoint.row.etcdDirectory}/${key}, ResourceVersion: 0, AdditionalErrorMsg: ${message}`;
  return newConflict(endpoint.groupResource, name, `StorageError: invalid object, ${where}`);
}
