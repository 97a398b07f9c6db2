// Pod certificate requests. Upstream: pkg/registry/certificates/podcertificaterequest/strategy.go

import type * as trust from "#api/generated/types/certificates-v1beta1.ts";
import type { Kind } from "#kinds/kind.ts";
import { inner, nil } from "#kinds/parts/defaulting.ts";
import { put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { formatLabels, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { validatePodRequestStatus } from "./pod-certificate-request-status.ts";
import { validatePodRequest, validatePodRequestUpdate } from "./pod-certificate-request-validation.ts";

// Upstream's strategy asks the authorizer whether the user may sign for the signer when the status changes. Here the
// admission plugin CertificateSigning does (src/apiserver/admission/certificates.ts).
const strategy = kindStrategy<trust.PodCertificateRequest>({
  allowUnconditionalUpdate: false,
  prepareForCreate: (request) => ({ ...request, status: {} }),
  validate: (request, { keyReader }) => validatePodRequest(request, keyReader),
  prepareForUpdate: (request, old) => put(request, "status", old.status),
  validateUpdate: validatePodRequestUpdate,
  subresources: {
    status: {
      resetFields: [["spec"]],
      prepareForUpdate: (request, old) => ({
        ...put(request, "spec", old.spec),
        metadata: resetMetaForStatus(request.metadata, old.metadata),
      }),
      validateUpdate: (request, old, { now }) => validatePodRequestStatus(request, old, now),
    },
  },
});

export const podCertificateRequest: Kind<trust.PodCertificateRequest> = {
  key: "podcertificaterequests.certificates.k8s.io",
  strategy,
  defaults: inner("spec", nil({ maxExpirationSeconds: 86_400 })),
  selectableFields: {
    "spec.signerName": ({ spec }) => spec?.signerName ?? "",
    "spec.podName": ({ spec }) => spec?.podName ?? "",
    "spec.nodeName": ({ spec }) => spec?.nodeName ?? "",
  },
  // As upstream, there is no selector for the namespace.
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
