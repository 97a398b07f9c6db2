// Recognizes the requests of kubelets by subject, alternative names and usages. Returns the first broken rule, in
// upstream's words.
// Upstream: pkg/apis/certificates/helpers.go

import type { CertificateRequest } from "#api/x509/certificate-request.ts";

const NODES = "system:nodes";
const NODE_PREFIX = "system:node:";

export function kubeletServingProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const { subject, dnsNames, ipAddresses, emailAddresses, uris } = request;
  if (!isOfNodes(request)) return "subject organization is not system:nodes";
  if (dnsNames.length + ipAddresses.length === 0) return "DNS or IP subjectAltName is required";
  if (emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (uris.length > 0) return "URI subjectAltNames are not allowed";
  return usagesProblem(usages, "server auth") ?? commonNameProblem(subject.commonName);
}

export function kubeletClientProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const { subject, dnsNames, ipAddresses, emailAddresses, uris } = request;
  if (!isOfNodes(request)) return "subject organization is not system:nodes";
  if (dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (uris.length > 0) return "URI subjectAltNames are not allowed";
  return commonNameProblem(subject.commonName) ?? usagesProblem(usages, "client auth");
}

const isOfNodes = ({ subject: { organization } }: CertificateRequest): boolean =>
  organization.length === 1 && organization[0] === NODES;

const commonNameProblem = (name: string): string | undefined =>
  name.startsWith(NODE_PREFIX) ? undefined : "subject common name does not begin with system:node:";

/** Only RSA keys encipher keys, so the usage "key encipherment" may be missing. */
function usagesProblem(usages: readonly string[], purpose: "server auth" | "client auth"): string | undefined {
  const required = ["digital signature", "key encipherment", purpose];
  const given = new Set(usages);
  const isRight =
    given.has("digital signature") && given.has(purpose) && [...given].every((usage) => required.includes(usage));
  return isRight ? undefined : `usages did not match [${required.toSorted().join(" ")}]`;
}
