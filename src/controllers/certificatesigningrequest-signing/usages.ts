// Maps the usages of the API to those of a certificate: a set of bits, and object identifiers in the order of Go's
// constants.
// Upstream: pkg/controller/certificates/authority/policies.go, keyUsagesFromStrings

import { goQuote } from "#api/go-text.ts";

const bits: Readonly<Record<string, number>> = {
  signing: 1 << 0,
  "digital signature": 1 << 0,
  "content commitment": 1 << 1,
  "key encipherment": 1 << 2,
  "data encipherment": 1 << 3,
  "key agreement": 1 << 4,
  "cert sign": 1 << 5,
  "crl sign": 1 << 6,
  "encipher only": 1 << 7,
  "decipher only": 1 << 8,
};

/** In the order of the certificate. */
const identifiers: readonly { readonly oid: string; readonly usages: readonly string[] }[] = [
  { oid: "2.5.29.37.0", usages: ["any"] },
  { oid: "1.3.6.1.5.5.7.3.1", usages: ["server auth"] },
  { oid: "1.3.6.1.5.5.7.3.2", usages: ["client auth"] },
  { oid: "1.3.6.1.5.5.7.3.3", usages: ["code signing"] },
  { oid: "1.3.6.1.5.5.7.3.4", usages: ["email protection", "s/mime"] },
  { oid: "1.3.6.1.5.5.7.3.5", usages: ["ipsec end system"] },
  { oid: "1.3.6.1.5.5.7.3.6", usages: ["ipsec tunnel"] },
  { oid: "1.3.6.1.5.5.7.3.7", usages: ["ipsec user"] },
  { oid: "1.3.6.1.5.5.7.3.8", usages: ["timestamping"] },
  { oid: "1.3.6.1.5.5.7.3.9", usages: ["ocsp signing"] },
  { oid: "1.3.6.1.4.1.311.10.3.3", usages: ["microsoft sgc"] },
  { oid: "2.16.840.1.113730.4.1", usages: ["netscape sgc"] },
];

export interface KeyUsages {
  readonly keyUsage: number;
  readonly extendedKeyUsages: readonly string[];
}

export function keyUsages(usages: readonly string[]): KeyUsages {
  const isExtended = (usage: string): boolean => identifiers.some((known) => known.usages.includes(usage));
  const unknown = usages.filter((usage) => !Object.hasOwn(bits, usage) && !isExtended(usage));
  if (unknown.length > 0) throw new Error(`unrecognized usage values: [${unknown.map(goQuote).join(" ")}]`);
  return {
    keyUsage: usages.reduce((all, usage) => all | (bits[usage] ?? 0), 0),
    extendedKeyUsages: identifiers
      .filter((known) => known.usages.some((u) => usages.includes(u)))
      .map(({ oid }) => oid),
  };
}
