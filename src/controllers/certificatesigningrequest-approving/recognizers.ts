// Which requests may be approved automatically, and which permission their user must have, in the order in which they
// are tried.
// Upstream: pkg/controller/certificates/approver/sarapprove.go, recognizers

import type { CertificateSigningRequest } from "#api/generated/types/certificates-v1.ts";
import type { CertificateRequest } from "#api/x509/certificate-request.ts";
import { kubeletClientProblem } from "#families/certificates/kubelet-requests.ts";

export interface Recognizer {
  /** The subresource that the user must be allowed to create. */
  readonly permission: "selfnodeclient" | "nodeclient";
  readonly message: string;
}

const selfNodeClient: Recognizer = {
  permission: "selfnodeclient",
  message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
};
const nodeClient: Recognizer = {
  permission: "nodeclient",
  message: "Auto approving kubelet client certificate after SubjectAccessReview.",
};

/** Empty: not a request of a kubelet for its client certificate. */
export function recognizersOf({ spec }: CertificateSigningRequest, request: CertificateRequest): readonly Recognizer[] {
  const isKubeletClient =
    spec.signerName === "kubernetes.io/kube-apiserver-client-kubelet" &&
    kubeletClientProblem(request, spec.usages ?? []) === undefined;
  if (!isKubeletClient) return [];
  const isOwn = (spec.username ?? "") === request.subject.commonName;
  return isOwn ? [selfNodeClient, nodeClient] : [nodeClient];
}
