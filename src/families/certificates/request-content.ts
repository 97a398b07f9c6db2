// The content of a certificate signing request, read from its PEM.
// Upstream: pkg/apis/certificates, ParseCSR

import { type CertificateRequest, parseRequest } from "#api/x509/certificate-request.ts";
import { errorMessage } from "#base/errors.ts";
import type { StoredRequest } from "./request-workers.ts";

/** Throws when the PEM cannot be read. */
export function contentOf({ metadata, spec }: StoredRequest): CertificateRequest {
  try {
    return parseRequest(spec.request);
  } catch (cause) {
    throw new Error(`unable to parse csr ${JSON.stringify(metadata.name)}: ${errorMessage(cause)}`, { cause });
  }
}
