// The namespaces of an object and of its request must be equal, if both are set.
// Upstream: k8s.io/apiserver/pkg/registry/rest/meta.go, EnsureObjectNamespaceMatchesRequestNamespace

import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { newBadRequest } from "#api/status-error.ts";

/** `requestNamespace`: "" for cluster-scoped kinds, whose objects must have none. Throws a 400. */
export function matchNamespace(object: KubeObject, requestNamespace: string): KubeObject {
  const own = object.metadata?.namespace ?? "";
  if (own === requestNamespace) return object;
  if (own === "") return withMeta(object, { namespace: requestNamespace });
  if (requestNamespace === "") return withMeta(object, { namespace: undefined });
  throw newBadRequest("the namespace of the provided object does not match the namespace sent on the request");
}
