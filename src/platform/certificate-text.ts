// A certificate in one line, as operators find it in the log.
// Upstream: apiserver/pkg/server/dynamiccertificates/util.go, GetHumanCertDetail.

import { X509Certificate } from "node:crypto";

const usageNames: Readonly<Record<string, string>> = {
  "1.3.6.1.5.5.7.3.1": "serving",
  "1.3.6.1.5.5.7.3.2": "client",
};

/** pem: of one certificate, or of several of which the first counts. */
export function certificateText(pem: string, nowMs: number): string {
  const certificate = new X509Certificate(pem);
  const { subject, issuer, subjectAltName = "", keyUsage, validFrom, validTo } = certificate;
  const [name] = valuesOf("CN", subject);
  const [signer] = valuesOf("CN", issuer);
  const groups = valuesOf("O", subject);
  const alternatives = (kind: string): string[] =>
    [...subjectAltName.matchAll(new RegExp(`${kind}:([^,\\s]+)`, "g"))].map(([, value = ""]) => value);
  const servesFor = [...alternatives("IP Address"), ...alternatives("DNS")];
  const parts = [
    `${JSON.stringify(name ?? "")} [${(keyUsage ?? []).map((oid) => usageNames[oid] ?? oid).join(",")}]`,
    ...(groups.length > 0 ? [`groups=[${groups.join(",")}]`] : []),
    ...(servesFor.length > 0 ? [`validServingFor=[${servesFor.join(",")}]`] : []),
    `issuer=${JSON.stringify(signer === name ? "<self>" : (signer ?? ""))}`,
    `(${utc(Date.parse(validFrom))} to ${utc(Date.parse(validTo))} (now=${utc(nowMs)}))`,
  ];
  return parts.join(" ");
}

/** The certificates of a bundle, one by one. */
export function certificatesIn(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** A distinguished name has one attribute per line. */
function valuesOf(attribute: string, name: string | undefined): readonly string[] {
  const start = `${attribute}=`;
  return (name ?? "").split("\n").flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []));
}

/** "2026-11-15 14:41:19 +0000 UTC", with a fraction where there is one. */
function utc(timeMs: number): string {
  return `${new Date(timeMs)
    .toISOString()
    .replace("T", " ")
    .replace(/\.?0*Z$/, "")} +0000 UTC`;
}
