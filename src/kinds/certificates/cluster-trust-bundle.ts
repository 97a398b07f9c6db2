// Cluster trust bundles. Upstream: pkg/registry/certificates/clustertrustbundle/strategy.go; pkg/apis/certificates/validation

import * as field from "#api/field-error.ts";
import type * as trust from "#api/generated/types/certificates-v1beta1.ts";
import { isDns1123Subdomain, type NameCheck } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, signerName } from "#kinds/parts/checks.ts";
import { deprecatedVersions } from "#kinds/parts/deprecated-versions.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { nameOf, orNone, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { trustBundle } from "./trust-bundle.ts";

const META = field.newPath("metadata");
const SPEC = field.newPath("spec");

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

/** An unchanged bundle is not parsed again. */
function validateBundle({ metadata = {}, spec }: trust.ClusterTrustBundle, old?: trust.ClusterTrustBundle): Errors {
  const errors: Errors = [];
  const signer = spec.signerName ?? "";
  objectMeta(errors, metadata, false, trustBundleName(signer), META);
  if (signer !== "") signerName(errors, signer, SPEC.child("signerName"));
  const bundle = spec.trustBundle ?? "";
  if (old === undefined || bundle !== (old.spec.trustBundle ?? "")) {
    trustBundle(errors, bundle, SPEC.child("trustBundle"));
  }
  return errors;
}

const strategy = kindStrategy<trust.ClusterTrustBundle>({
  allowUnconditionalUpdate: false,
  validate: (bundle) => validateBundle(bundle),
  validateUpdate(bundle, old) {
    const errors = validateBundle(bundle, old);
    objectMetaUpdate(errors, bundle.metadata ?? {}, old.metadata ?? {}, META);
    const [signer, before] = [bundle.spec.signerName ?? "", old.spec.signerName ?? ""];
    if (signer !== before) errors.push(field.invalid(SPEC.child("signerName"), signer, IMMUTABLE));
    return errors;
  },
});

export const clusterTrustBundle: Kind<trust.ClusterTrustBundle> = {
  key: "clustertrustbundles.certificates.k8s.io",
  strategy,
  deprecationWarning: deprecatedVersions("certificates.k8s.io", "ClusterTrustBundle", { v1alpha1: [34, 37] }),
  selectableFields: { "spec.signerName": ({ spec }) => spec?.signerName ?? "" },
  printer: printer<trust.ClusterTrustBundle>("Name|SignerName", (bundle) => [
    nameOf(bundle),
    orNone(bundle.spec?.signerName),
  ]),
};
