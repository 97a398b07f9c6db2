// Describes a signed certificate by its subject, names, usages and lifetime, leaving out random values and times.

import { X509Certificate } from "node:crypto";
import { pemTextOf } from "#api/pem.ts";
import { certificateContent } from "#platform/certificates/certificate-content.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const KEY_USAGE = "2.5.29.15";

/** `base64` is the base64 encoding of a PEM file. */
export function certificateInWords(base64: string): string {
  const pem = pemTextOf(base64);
  if (!pem.startsWith("-----BEGIN CERTIFICATE-----")) return base64;
  const certificate = new X509Certificate(pem);
  const { subject, issuer, subjectAltName = "no names", keyUsage = [], validFrom, validTo } = certificate;
  const bits = certificateContent(certificate.raw).extensions.get(KEY_USAGE)?.value ?? new Uint8Array();
  const lines = [subject, `by ${issuer}`, subjectAltName, `usages ${Buffer.from(bits).toString("hex")}`, ...keyUsage];
  return `{certificate: ${lines.join(", ").replaceAll("\n", "/")}, ${lifetime(Date.parse(validTo) - Date.parse(validFrom))}}`;
}

/** Rounded: a certificate that lives as long as its CA loses some seconds. */
function lifetime(ms: number): string {
  return ms > DAY_MS ? `${Math.round(ms / DAY_MS)} days` : `${ms / MINUTE_MS} minutes`;
}
