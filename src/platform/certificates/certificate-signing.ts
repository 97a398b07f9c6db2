// Signs certificates as Go's crypto/x509 does: the same fields, in the same order and encoding.
// Upstream: crypto/x509, CreateCertificate and buildCertExtensions

import { X509Certificate } from "node:crypto";
import { certificate } from "#api/x509/certificate.ts";
import { DER_SET, equalBytes } from "#api/x509/der.ts";
import { der, derIdentifier, derSequence, derText } from "#api/x509/der-writer.ts";
import { DER_PRINTABLE_STRING, DER_UTF8_STRING } from "#api/x509/directory-string.ts";
import { NAME_ATTRIBUTES } from "#api/x509/name.ts";
import type {
  AlternativeNames,
  CertificateAuthority,
  CertificateTemplate,
  DistinguishedName,
} from "#base/certificates.ts";
import type { Keys } from "#base/host.ts";
import { readPrivateKey } from "../tokens/jwt-signer.ts";
import {
  alternativeNamesExtension,
  authorityKeyExtension,
  basicConstraintsExtension,
  extendedKeyUsageExtension,
  generalName,
  keyUsageExtension,
  signatureAlgorithmOf,
  signedCertificate,
} from "./signed-certificate.ts";

export const authority: Keys["authority"] = (certificatePem, keyPem) => {
  const { notAfter, subjectKeyId, subject: issuer } = certificate(new X509Certificate(certificatePem).raw);
  const key = readPrivateKey(keyPem);
  signatureAlgorithmOf(key);
  return {
    notAfter,
    sign(template) {
      const subject = nameOf(template.subject);
      const authorityKeyId = equalBytes(subject, issuer) ? new Uint8Array() : subjectKeyId;
      return signedCertificate(
        { ...template, issuer, subject, extensions: extensionsOf(template, subject, authorityKeyId) },
        key,
      );
    },
  } satisfies CertificateAuthority;
};

/** Values of one attribute share a set, whose elements DER sorts. */
function nameOf(name: DistinguishedName): Uint8Array {
  const sets = NAME_ATTRIBUTES.flatMap(({ part, oid }) => {
    const given = name[part];
    const texts = typeof given === "string" ? (given === "" ? [] : [given]) : given;
    if (texts.length === 0) return [];
    const values = texts.map((text) => derSequence(derIdentifier(oid), stringValue(text)));
    return [der(DER_SET, ...values.toSorted(Buffer.compare))];
  });
  return derSequence(...sets);
}

function stringValue(text: string): Uint8Array {
  const isPrintable = /^[A-Za-z0-9'()+,\-./ :=?]*$/.test(text);
  return derText(isPrintable ? DER_PRINTABLE_STRING : DER_UTF8_STRING, text);
}

const EMPTY_NAME = derSequence();

function extensionsOf(template: CertificateTemplate, subject: Uint8Array, authorityKeyId: Uint8Array): Uint8Array[] {
  const { keyUsage, extendedKeyUsages } = template;
  const names = generalNames(template);
  return [
    ...(keyUsage === 0 ? [] : [keyUsageExtension(keyUsage)]),
    ...(extendedKeyUsages.length === 0 ? [] : [extendedKeyUsageExtension(extendedKeyUsages)]),
    basicConstraintsExtension(false),
    ...(authorityKeyId.length === 0 ? [] : [authorityKeyExtension(authorityKeyId)]),
    ...(names.length === 0 ? [] : [alternativeNamesExtension(names, equalBytes(subject, EMPTY_NAME))]),
  ];
}

function generalNames({ dnsNames, emailAddresses, ipAddresses, uris }: AlternativeNames): readonly Uint8Array[] {
  return [
    ...dnsNames.map(generalName.dns),
    ...emailAddresses.map(generalName.email),
    ...ipAddresses.map((address) => generalName.ip(shortest(address))),
    ...uris.map(generalName.uri),
  ];
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** An IPv4 address in four bytes, also where the request maps it to IPv6. */
function shortest(address: Uint8Array): Uint8Array {
  const isMapped = address.length === 16 && MAPPED.every((byte, at) => address[at] === byte);
  return isMapped ? address.subarray(MAPPED.length) : address;
}
