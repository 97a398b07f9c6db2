// The ConfigMap with the CA bundle: how it is built, compared and restored.
// Upstream: pkg/controller/certificates/rootcacertpublisher/publisher.go.

import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import type { Draft, Stored } from "#api/resource.ts";

export const CONFIG_MAP_NAME = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const DESCRIPTION_TEXT =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. " +
  "No other usage is guaranteed across distributions of Kubernetes clusters.";

export function newBundle(rootCa: string): Draft<Stored<ConfigMap>> {
  return {
    metadata: { name: CONFIG_MAP_NAME, annotations: { [DESCRIPTION]: DESCRIPTION_TEXT } },
    data: { "ca.crt": rootCa },
  };
}

/** Any text is accepted as the description: users may have translated it. */
export function isAsPublished({ data = {}, metadata }: Stored<ConfigMap>, rootCa: string): boolean {
  const hasOnlyTheBundle = Object.keys(data).length === 1 && data["ca.crt"] === rootCa;
  return hasOnlyTheBundle && (metadata.annotations?.[DESCRIPTION] ?? "") !== "";
}

/** Labels, other annotations and binary data belong to the users. */
export function restored(configMap: Stored<ConfigMap>, rootCa: string): Stored<ConfigMap> {
  const { metadata } = configMap;
  return {
    ...configMap,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [DESCRIPTION]: DESCRIPTION_TEXT } },
    data: { "ca.crt": rootCa },
  };
}
