// Pod certificate requests. Upstream: pkg/registry/certificates/podcertificaterequest/strategy.go

import type * as trust from "#api/generated/types/certificates-v1beta1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { inner, nil } from "#kinds/parts/defaulting.ts";
import { formatLabels, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

export const podCertificateRequest: SchemaOnlyKind<trust.PodCertificateRequest> = {
  key: "podcertificaterequests.certificates.k8s.io",
  strategy: schemaOnly({ allowUnconditionalUpdate: false }),
  defaults: inner("spec", nil({ maxExpirationSeconds: 86_400 })),
  selectableFields: {
    "spec.signerName": ({ spec }) => spec?.signerName ?? "",
    "spec.podName": ({ spec }) => spec?.podName ?? "",
    "spec.nodeName": ({ spec }) => spec?.nodeName ?? "",
  },
  // Upstream knows no selector of its namespace.
  fieldLabels: {
    "certificates.k8s.io/v1beta1": {
      "metadata.name": "metadata.name",
      "spec.signerName": "spec.signerName",
      "spec.podName": "spec.podName",
      "spec.nodeName": "spec.nodeName",
    },
  },
  printer: printer<trust.PodCertificateRequest>(
    "Name|PodName|ServiceAccountName|NodeName|SignerName|State|UnverifiedUserAnnotations",
    (request) => {
      const { podName = "", serviceAccountName = "", nodeName = "", signerName = "" } = request.spec ?? {};
      const state = request.status?.conditions?.findLast(({ type }) =>
        ["Issued", "Denied", "Failed"].includes(type),
      )?.type;
      const annotations = formatLabels(request.spec?.unverifiedUserAnnotations);
      return [nameOf(request), podName, serviceAccountName, nodeName, signerName, state ?? "Pending", annotations];
    },
  ),
};
