// Cluster trust bundles. Upstream: pkg/registry/certificates/clustertrustbundle/strategy.go

import type * as trust from "#api/generated/types/certificates-v1beta1.ts";
import { isDns1123Subdomain, type NameCheck } from "#api/names.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { nameOf, orNone, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

function trustBundleName(signerName: string): NameCheck {
  if (signerName === "") {
    return (value) =>
      value.includes(":")
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : isDns1123Subdomain(value);
  }
  const prefix = `${signerName.replaceAll("/", ":")}:`;
  return (value) =>
    value.startsWith(prefix)
      ? isDns1123Subdomain(value.slice(prefix.length))
      : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

export const clusterTrustBundle: SchemaOnlyKind<trust.ClusterTrustBundle> = {
  key: "clustertrustbundles.certificates.k8s.io",
  strategy: schemaOnly({
    allowUnconditionalUpdate: false,
    nameCheck: (bundle) => trustBundleName((bundle as trust.ClusterTrustBundle).spec?.signerName ?? ""),
  }),
  selectableFields: { "spec.signerName": ({ spec }) => spec?.signerName ?? "" },
  printer: printer<trust.ClusterTrustBundle>("Name|SignerName", (bundle) => [
    nameOf(bundle),
    orNone(bundle.spec?.signerName),
  ]),
};
