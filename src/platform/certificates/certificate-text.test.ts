import { describe, expect, it } from "vitest";
import { certificatesIn } from "./certificate-fields.ts";
import { certificateText } from "./certificate-text.ts";
import { issueCertificate } from "./x509.ts";

const validity = { notBefore: Date.UTC(2026, 0, 2, 3, 4, 5), notAfter: Date.UTC(2027, 0, 2, 3, 4, 50) };
const nowMs = Date.UTC(2026, 5, 1) + 120;
const times = "(2026-01-02 03:04:05 +0000 UTC to 2027-01-02 03:04:50 +0000 UTC (now=2026-06-01 00:00:00.12 +0000 UTC))";
const ca = issueCertificate({ ...validity, commonName: "my-ca", isCa: true });

describe("certificates in the log", () => {
  it("describes an authority", () => {
    expect(certificateText(ca.certificatePem, nowMs)).toBe(`"my-ca" [] issuer="<self>" ${times}`);
  });

  it("lists the usages and names of a certificate", () => {
    const serving = issueCertificate({
      ...validity,
      commonName: "me",
      issuer: ca,
      usages: ["server", "client"],
      organizations: ["a", "b"],
      dnsNames: ["localhost"],
      ipAddresses: ["127.0.0.1"],
    });
    expect(certificateText(serving.certificatePem, nowMs)).toBe(
      `"me" [serving,client] groups=[a,b] validServingFor=[127.0.0.1,localhost] issuer="my-ca" ${times}`,
    );
    expect(certificatesIn(serving.certificatePem + ca.certificatePem)).toHaveLength(2);
  });
});
