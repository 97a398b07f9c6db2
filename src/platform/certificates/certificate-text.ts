// A certificate in one line, as it appears in the log.
// Upstream: apiserver/pkg/server/dynamiccertificates/util.go, GetHumanCertDetail.

import { X509Certificate } from "node:crypto";
import { certificateContent } from "./certificate-content.ts";
import { alternativeNames } from "./certificate-fields.ts";

const usageNames: Readonly<Record<string, string>> = {
  "1.3.6.1.5.5.7.3.1": "serving",
  "1.3.6.1.5.5.7.3.2": "client",
};

/** pem: one or more certificates, of which the first is described. */
export function certificateText(pem: string, nowMs: number): string {
  const certificate = new X509Certificate(pem);
  const { subjectAltName, keyUsage, validFrom, validTo } = certificate;
  const { subject, issuer } = certificateContent(certificate.raw);
  const [name, signer, groups] = [subject.commonName, issuer.commonName, subject.organizations];
  const servesFor = [...alternativeNames(subjectAltName, "IP Address"), ...alternativeNames(subjectAltName, "DNS")];
  const parts = [
    `${JSON.stringify(name)} [${(keyUsage ?? []).map((oid) => usageNames[oid] ?? oid).join(",")}]`,
    ...(groups.length > 0 ? [`groups=[${groups.join(",")}]`] : []),
    ...(servesFor.length > 0 ? [`validServingFor=[${servesFor.join(",")}]`] : []),
    `issuer=${JSON.stringify(signer === name ? "<self>" : signer)}`,
    `(${utc(Date.parse(validFrom))} to ${utc(Date.parse(validTo))} (now=${utc(nowMs)}))`,
  ];
  return parts.join(" ");
}

/** "2026-11-15 14:41:19 +0000 UTC", with a fraction of a second if there is one. */
function utc(timeMs: number): string {
  return `${new Date(timeMs)
    .toISOString()
    .replace("T", " ")
    .replace(/\.?0*Z$/, "")} +0000 UTC`;
}
