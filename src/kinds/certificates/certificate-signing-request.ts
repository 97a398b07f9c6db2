// Certificate signing requests. Upstream: pkg/registry/certificates/certificates/strategy.go

import type * as certificates from "#api/generated/types/certificates-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { ageOf, humanDuration, nameOf, orNone, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

function requestStatus({ status }: certificates.CertificateSigningRequest): string {
  const has = (type: string): boolean => status?.conditions?.some((condition) => condition.type === type) === true;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

export const certificateSigningRequest: SchemaOnlyKind<certificates.CertificateSigningRequest> = {
  key: "certificatesigningrequests.certificates.k8s.io",
  // The server asks every name to be a path segment; this kind asks for no more.
  strategy: schemaOnly({ nameCheck: () => () => [] }),
  selectableFields: { "spec.signerName": ({ spec }) => spec?.signerName ?? "" },
  printer: printer<certificates.CertificateSigningRequest>(
    "Name|Age|SignerName|Requestor|RequestedDuration|Condition",
    (csr, now) => [
      nameOf(csr),
      ageOf(csr, now),
      orNone(csr.spec?.signerName),
      csr.spec?.username ?? "",
      csr.spec?.expirationSeconds === undefined ? "<none>" : humanDuration(csr.spec.expirationSeconds * 1000),
      requestStatus(csr),
    ],
  ),
};
