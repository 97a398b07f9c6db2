// The claims of a non-expiring token. It has no expiry and no audience: it is valid as long as the Secret exists.
// Upstream: pkg/serviceaccount/legacy.go, LegacyClaims.

import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";

export type TokenClaims = Readonly<Record<string, string>>;

/** In the order in which upstream signs them: sorted by name. */
export function tokenClaims(account: Stored<ServiceAccount>, secret: Stored<Secret>): TokenClaims {
  const { namespace, name, uid } = account.metadata;
  return {
    iss: "kubernetes/serviceaccount",
    "kubernetes.io/serviceaccount/namespace": namespace,
    "kubernetes.io/serviceaccount/secret.name": secret.metadata.name,
    "kubernetes.io/serviceaccount/service-account.name": name,
    "kubernetes.io/serviceaccount/service-account.uid": uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}
