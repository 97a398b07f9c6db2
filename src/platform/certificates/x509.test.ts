import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { issueCertificate, newPrivateKeyPem, publicKeyPem } from "./x509.ts";

const validity = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2051, 5, 1, 12, 30, 15) };

describe("issueCertificate", () => {
  const root = issueCertificate({ commonName: "root", isCa: true, ...validity });
  const rootCertificate = new X509Certificate(root.certificatePem);

  it("issues a self-signed root that matches its key", () => {
    expect(rootCertificate.ca).toBe(true);
    expect(rootCertificate.verify(rootCertificate.publicKey)).toBe(true);
    expect(rootCertificate.checkPrivateKey(createPrivateKey(root.keyPem))).toBe(true);
    expect(rootCertificate.checkIssued(rootCertificate)).toBe(true);
  });

  it("issues a leaf with the requested names, groups and validity, signed by the root", () => {
    const leaf = issueCertificate({
      commonName: "system:admin",
      organizations: ["system:masters", "ops"],
      dnsNames: ["localhost", "kubernetes.default.svc"],
      ipAddresses: ["127.0.0.1", "fd00::1"],
      usages: ["server", "client"],
      issuer: root,
      ...validity,
    });
    const certificate = new X509Certificate(leaf.certificatePem);
    expect(certificate.checkIssued(rootCertificate)).toBe(true);
    expect(certificate.verify(rootCertificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.subject).toBe("O=system:masters\nO=ops\nCN=system:admin");
    expect(certificate.issuer).toBe("CN=root");
    expect(certificate.subjectAltName).toBe(
      "DNS:localhost, DNS:kubernetes.default.svc, IP Address:127.0.0.1, IP Address:FD00:0:0:0:0:0:0:1",
    );
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
    expect(Date.parse(certificate.validFrom)).toBe(validity.notBefore);
    expect(Date.parse(certificate.validTo)).toBe(validity.notAfter);
  });

  it.each([
    ["of this process", root],
    ["read from PEM", { ...root }],
  ])("signs with an issuer %s", (_, issuer) => {
    const leaf = new X509Certificate(issueCertificate({ commonName: "leaf", issuer, ...validity }).certificatePem);
    expect(leaf.issuer).toBe("CN=root");
    // The authority key identifier is compared too.
    expect(leaf.checkIssued(rootCertificate)).toBe(true);
    expect(leaf.verify(rootCertificate.publicKey)).toBe(true);
  });

  it("never repeats a serial number", () => {
    const serials = Array.from(
      { length: 20 },
      () =>
        new X509Certificate(issueCertificate({ commonName: "a", issuer: root, ...validity }).certificatePem)
          .serialNumber,
    );
    expect(new Set(serials).size).toBe(20);
    expect(serials.every((serial) => serial.length === 32)).toBe(true);
  });
});

it("publicKeyPem returns the public key of a new key", () => {
  expect(publicKeyPem(newPrivateKeyPem())).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
});
