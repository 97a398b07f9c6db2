// Distinguished names. Attributes that Go does not know, and values that are not strings, are dropped. Pure.
// Upstream: crypto/x509/pkix, FillFromRDNSequence and ToRDNSequence

import type { DistinguishedName } from "#base/certificates.ts";
import { DER_SEQUENCE, DER_SET, type DerValue, derParts, InvalidDer, objectIdentifier } from "./der.ts";
import { directoryString } from "./directory-string.ts";

/** The known attributes, in Go's order. */
export const NAME_ATTRIBUTES: readonly { readonly part: keyof DistinguishedName; readonly oid: string }[] = [
  { part: "country", oid: "2.5.4.6" },
  { part: "province", oid: "2.5.4.8" },
  { part: "locality", oid: "2.5.4.7" },
  { part: "streetAddress", oid: "2.5.4.9" },
  { part: "postalCode", oid: "2.5.4.17" },
  { part: "organization", oid: "2.5.4.10" },
  { part: "organizationalUnit", oid: "2.5.4.11" },
  { part: "commonName", oid: "2.5.4.3" },
  { part: "serialNumber", oid: "2.5.4.5" },
];

type Found = { -readonly [K in keyof DistinguishedName]: DistinguishedName[K] };

/** Of a repeated common name or serial number, the last one wins. */
export function distinguishedName(name: DerValue | undefined): DistinguishedName {
  const found: Found = {
    country: [],
    province: [],
    locality: [],
    streetAddress: [],
    postalCode: [],
    organization: [],
    organizationalUnit: [],
    commonName: "",
    serialNumber: "",
  };
  for (const set of derParts(name, DER_SEQUENCE)) {
    for (const attribute of derParts(set, DER_SET)) {
      const [type, value] = derParts(attribute, DER_SEQUENCE, 2);
      if (value === undefined) throw new InvalidDer("asn1: syntax error: sequence truncated");
      const oid = objectIdentifier(type);
      const text = directoryString(value);
      const part = NAME_ATTRIBUTES.find((known) => known.oid === oid)?.part;
      if (part === undefined || text === undefined) continue;
      if (part === "commonName" || part === "serialNumber") found[part] = text;
      else found[part] = [...found[part], text];
    }
  }
  return found;
}
