// The certificate and key with which the embedded stage signs certificates, made once for all plays. The key is an RSA
// key below a root: its signatures are deterministic.

import { issueCertificate } from "#platform/certificates/x509.ts";

let made: { readonly ca: string; readonly key: string } | undefined;

const MONTH_MS = 30 * 24 * 3_600_000;

/** The pair is valid as long as that of a real control plane. */
export function signingPair(now: number): { readonly ca: string; readonly key: string } {
  if (made === undefined) {
    const validity = { notBefore: now - 3_600_000, notAfter: now + MONTH_MS };
    const authority = { commonName: "test-ca", isCa: true, ...validity };
    const issuer = issueCertificate({ ...authority, commonName: "test-root" });
    const { certificatePem, keyPem } = issueCertificate({ ...authority, issuer, keyType: "rsa" });
    made = { ca: certificatePem, key: keyPem };
  }
  return made;
}
