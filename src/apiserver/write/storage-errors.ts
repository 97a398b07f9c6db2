// Conflicts that upstream reports in the words of its storage layer, key included.
// Upstream: k8s.io/apiserver/pkg/storage/errors.go and interfaces.go, Preconditions.Check

import { type ApiError, newConflict } from "#api/status-error.ts";
import type { ResourceCall } from "../core.ts";
import type { Endpoint } from "../registry.ts";
import type { StorageKey } from "../storage/storage.ts";

export const OPTIMISTIC_LOCK =
  "the object has been modified; please apply your changes to the latest version and try again";

/** Resources whose directory in etcd is not their name. */
const DIRECTORIES: Readonly<Record<string, string>> = {
  __proto__: null as never,
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
  endpoints: "services/endpoints",
  ingresses: "ingress",
  customresourcedefinitions: "apiextensions.k8s.io/customresourcedefinitions",
  apiservices: "apiregistration.k8s.io/apiservices",
};

function etcdKey({ row, version }: Endpoint, key: StorageKey, dryRun: boolean): string {
  const directory = row.isCustom ? `${version.group}/${row.resource}` : (DIRECTORIES[row.resource] ?? row.resource);
  // A dry run is refused before the store puts its prefix to the key.
  return `${dryRun ? "" : "/registry"}/${directory}/${key}`;
}

type Property = "UID" | "ResourceVersion";

/** What the client expects of the object does not hold. */
export function preconditionFailed(
  { endpoint, name }: Pick<ResourceCall, "endpoint" | "name">,
  key: StorageKey,
  property: Property,
  [wanted, actual]: readonly [wanted: string, actual: string],
  dryRun = false,
): ApiError {
  const message = `Precondition failed: ${property} in precondition: ${wanted}, ${property} in object meta: ${actual}`;
  const where = `Code: 4, Key: ${etcdKey(endpoint, key, dryRun)}, ResourceVersion: 0, AdditionalErrorMsg: ${message}`;
  return newConflict(endpoint.groupResource, name, `StorageError: invalid object, ${where}`);
}
