// The certificates and keys with which the embedded stage signs certificates, made once for all plays. Where a play signs,
// the key is an RSA key below a root: its signatures are deterministic. To make an RSA key takes 100 ms, so other plays
// have an EC key.

import { issueCertificate, type KeyType } from "#platform/certificates/x509.ts";

interface Pair {
  readonly ca: string;
  readonly key: string;
}

const made = new Map<KeyType, Pair>();

const MONTH_MS = 30 * 24 * 3_600_000;

/** The pair is valid as long as that of a real control plane. */
export function signingPair(now: number, keyType: KeyType = "rsa"): Pair {
  const pair = made.get(keyType) ?? makePair(now, keyType);
  made.set(keyType, pair);
  return pair;
}

function makePair(now: number, keyType: KeyType): Pair {
  const validity = { notBefore: now - 3_600_000, notAfter: now + MONTH_MS };
  const authority = { commonName: "test-ca", isCa: true, ...validity };
  const issuer = issueCertificate({ ...authority, commonName: "test-root" });
  const { certificatePem, keyPem } = issueCertificate({ ...authority, issuer, keyType });
  return { ca: certificatePem, key: keyPem };
}
