// A self-signed serving certificate, for servers that are configured without one. A separate file, because the code
// that issues certificates takes time and megabytes to load.

import { isIP } from "node:net";
import type { CertificateKey } from "../https-server/tls-settings.ts";
import { issueCertificate, type KeyType } from "./x509.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

// Deviation: an ECDSA key instead of upstream's RSA key, because it is a hundred times faster to generate. If the
// configured cipher suites need an RSA key, the caller asks for one.
export function selfSigned(bindAddress: string, nowMs: number, keyType: KeyType = "ec"): CertificateKey {
  const seconds = Math.trunc(nowMs / 1000);
  const valid = { notBefore: nowMs - HOUR_MS, notAfter: nowMs - HOUR_MS + YEAR_MS };
  const isUnspecified = bindAddress === "0.0.0.0" || bindAddress === "::" || isIP(bindAddress) === 0;
  const ca = issueCertificate({ commonName: `localhost-ca@${seconds}`, isCa: true, ...valid });
  const leaf = issueCertificate({
    commonName: `localhost@${seconds}`,
    dnsNames: isUnspecified ? ["localhost", "localhost"] : ["localhost"],
    ipAddresses: isUnspecified ? ["127.0.0.1"] : ["127.0.0.1", bindAddress],
    usages: ["server"],
    issuer: ca,
    keyType,
    ...valid,
  });
  return { cert: leaf.certificatePem + ca.certificatePem, key: leaf.keyPem };
}
