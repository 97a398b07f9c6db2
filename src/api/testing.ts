// For tests of other layers: objects in their stored form.

import type { KubeObject } from "#api/object.ts";
import type { Draft, Resource, StoredObject } from "#api/resource.ts";

/** The object with the server's metadata, unless the test sets it: its UID is "uid-<name>". */
export function stored<T extends StoredObject>(resource: Resource<T>, object: Draft<T>): T {
  const { metadata } = object as KubeObject;
  return {
    ...object,
    metadata: {
      ...(resource.scope === "Namespaced" ? { namespace: "ns" } : {}),
      uid: `uid-${metadata?.name}`,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...metadata,
    },
  } as unknown as T;
}
