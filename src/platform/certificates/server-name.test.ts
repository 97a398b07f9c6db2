import { expect, it } from "vitest";
import { nameError } from "./server-name.ts";

const many = (count: number, prefix: string): string => Array.from({ length: count }, (_, i) => prefix + i).join(", ");

it.each([
  ["a", "DNS:a", true, undefined],
  ["10.0.0.1", "IP Address:10.0.0.1", true, undefined],
  // The runtime can have accepted this certificate only by its common name.
  ["a", undefined, true, "certificate relies on legacy Common Name field, use SANs instead"],
  ["a", "IP Address:10.0.0.1", true, "certificate is not valid for any names, but wanted to match a"],
  ["a", 'DNS:"x, DNS:a", DNS:b', false, 'certificate is valid for "x, DNS:a", b, not a'],
  ["a", many(100, "DNS:x"), false, "certificate is valid for 100 names, but none matched a"],
  ["::1", many(100, "IP Address:10.0.0."), false, "certificate is valid for 100 IP SANs, but none matched ::1"],
  ["::1", "IP Address:FE80:0:0:0:0:0:0:1", false, "certificate is valid for fe80::1, not ::1"],
])("case %#: %s", (wanted, subjectAltName, isAccepted, problem) => {
  const error = nameError(wanted, { subjectAltName, commonName: "other" }, isAccepted);
  expect(error?.message).toBe(problem && `tls: failed to verify certificate: x509: ${problem}`);
});

it.each([
  ["api.example", "api.example", true],
  ["api.example", "API.example", true],
  ["api.example", "*.example", true],
  ["api.example", "*", false],
  ["example", "*", true],
  ["a.api.example", "*.example", false],
  ["api.example", "", false],
])("%s by the common name %s: %j", (wanted, commonName, isLegacy) => {
  const error = nameError(wanted, { subjectAltName: undefined, commonName }, false);
  expect(error?.message.includes("legacy Common Name")).toBe(isLegacy);
});
