// The four signers: their names, in the order in which they start, and their rules.
// Upstream: pkg/controller/certificates/signer/signer.go, getCSRVerificationFuncForSignerName

import type { CertificateRequest } from "#api/x509/certificate-request.ts";
import { kubeletClientProblem, kubeletServingProblem } from "#families/certificates/kubelet-requests.ts";

export interface Signer {
  readonly name: string;
  /** Why the signer refuses, in upstream's words; undefined when it signs. */
  problem(request: CertificateRequest, usages: readonly string[]): string | undefined;
}

export type SignerKey = "kubeletServing" | "kubeletClient" | "kubeApiServerClient" | "legacyUnknown";

export const signers: Readonly<Record<SignerKey, Signer>> = {
  kubeletServing: { name: "kubernetes.io/kubelet-serving", problem: kubeletServingProblem },
  kubeletClient: { name: "kubernetes.io/kube-apiserver-client-kubelet", problem: kubeletClientProblem },
  kubeApiServerClient: {
    name: "kubernetes.io/kube-apiserver-client",
    problem: (_, usages) => clientUsagesProblem(usages),
  },
  /** Requests of old clients, which may ask for any certificate. */
  legacyUnknown: { name: "kubernetes.io/legacy-unknown", problem: () => undefined },
};

function clientUsagesProblem(usages: readonly string[]): string | undefined {
  const odd = usages.find((usage) => !["digital signature", "key encipherment", "client auth"].includes(usage));
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}
