// The keys and certificates of a test cluster: its own CA, a separate CA for front proxies
// (request headers), the service-account key, and client certificates for any user.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { issueCertificate, type KeyCertificate, newPrivateKeyPem, publicKeyPem } from "#platform/certificates/x509.ts";

const hourMs = 3_600_000;
export const frontProxyUser = "front-proxy-client";

export interface Pki {
  readonly ca: KeyCertificate;
  readonly serving: KeyCertificate;
  /** The client certificate that the API server trusts for X-Remote-User. */
  readonly frontProxy: KeyCertificate;
  clientCertificate(user: string, groups?: readonly string[]): KeyCertificate;
  /** Path of one of the files below. */
  file(name: PkiFile): string;
}

const files = [
  "ca.crt",
  "ca.key",
  "serving.crt",
  "serving.key",
  "front-proxy-ca.crt",
  "front-proxy.crt",
  "front-proxy.key",
  "service-account.key",
  "service-account.pub",
] as const;
type PkiFile = (typeof files)[number];

export function createPki(parent: string): Pki {
  const now = Date.now();
  const validity = { notBefore: now - hourMs, notAfter: now + 30 * 24 * hourMs };
  const ca = issueCertificate({ commonName: "test-ca", isCa: true, ...validity });
  const frontProxyCa = issueCertificate({ commonName: "test-front-proxy-ca", isCa: true, ...validity });
  const frontProxy = issueCertificate({
    commonName: frontProxyUser,
    usages: ["client"],
    issuer: frontProxyCa,
    ...validity,
  });
  const serving = issueCertificate({
    commonName: "test-control-plane",
    dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
    ipAddresses: ["127.0.0.1", "10.0.0.1"],
    usages: ["server"],
    issuer: ca,
    ...validity,
  });
  const serviceAccountKey = newPrivateKeyPem();
  const directory = join(parent, "pki");
  mkdirSync(directory);
  const contents: Record<PkiFile, string> = {
    "ca.crt": ca.certificatePem,
    "ca.key": ca.keyPem,
    "serving.crt": serving.certificatePem,
    "serving.key": serving.keyPem,
    "front-proxy-ca.crt": frontProxyCa.certificatePem,
    "front-proxy.crt": frontProxy.certificatePem,
    "front-proxy.key": frontProxy.keyPem,
    "service-account.key": serviceAccountKey,
    "service-account.pub": publicKeyPem(serviceAccountKey),
  };
  for (const name of files) writeFileSync(join(directory, name), contents[name], { mode: 0o600 });
  return {
    ca,
    serving,
    frontProxy,
    clientCertificate: (user, groups = []) =>
      issueCertificate({ commonName: user, organizations: groups, usages: ["client"], issuer: ca, ...validity }),
    file: (name) => join(directory, name),
  };
}
