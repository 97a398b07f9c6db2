// Signs certificates as Go's crypto/x509 does: the same fields, in the same order and encoding.
// Upstream: crypto/x509, CreateCertificate and buildCertExtensions

import { type KeyObject, X509Certificate } from "node:crypto";
import { certificate } from "#api/x509/certificate.ts";
import { equalBytes } from "#api/x509/der.ts";
import { DER_NOTHING, identifierOf, printableOf, sequenceOf, setOf, utf8Of } from "#api/x509/der-writer.ts";
import { NAME_ATTRIBUTES } from "#api/x509/name.ts";
import type { CertificateAuthority, CertificateTemplate, DistinguishedName } from "#base/certificates.ts";
import type { CertificateSigning } from "#base/host.ts";
import { readPrivateKey } from "../tokens/jwt-signer.ts";
import {
  alternativeNamesExtension,
  authorityKeyExtension,
  basicConstraintsExtension,
  extendedKeyUsageExtension,
  hasNames,
  keyUsageExtension,
  type SigningKey,
  signedCertificate,
} from "./signed-certificate.ts";

export const authority: CertificateSigning["authority"] = (certificatePem, keyPem) => {
  const { notAfter, subjectKeyId, subject: issuer } = certificate(new X509Certificate(certificatePem).raw);
  const key = readPrivateKey(keyPem);
  const signing: SigningKey = { key, ...algorithmOf(key) };
  return {
    notAfter,
    sign(template) {
      const subject = nameOf(template.subject);
      const isOwnName = equalBytes(subject, issuer);
      const extensions = extensionsOf(template, isOwnName ? new Uint8Array() : subjectKeyId);
      return signedCertificate({ ...template, issuer, subject, extensions }, signing);
    },
  } satisfies CertificateAuthority;
};

type Algorithm = Omit<SigningKey, "key">;

const algorithm = (hash: Algorithm["hash"], oid: string, ...parameters: readonly Uint8Array[]): Algorithm => ({
  hash,
  identifier: sequenceOf(identifierOf(oid), ...parameters),
});

const ecdsaAlgorithms: Readonly<Record<string, Algorithm>> = {
  secp224r1: algorithm("sha256", "1.2.840.10045.4.3.2"),
  prime256v1: algorithm("sha256", "1.2.840.10045.4.3.2"),
  secp384r1: algorithm("sha384", "1.2.840.10045.4.3.3"),
  secp521r1: algorithm("sha512", "1.2.840.10045.4.3.4"),
};

export function algorithmOf(key: KeyObject): Algorithm {
  if (key.asymmetricKeyType === "rsa") return algorithm("sha256", "1.2.840.113549.1.1.11", DER_NOTHING);
  if (key.asymmetricKeyType === "ed25519") return algorithm(null, "1.3.101.112");
  if (key.asymmetricKeyType !== "ec") throw new Error("x509: only RSA, ECDSA and Ed25519 keys supported");
  const found = ecdsaAlgorithms[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (found === undefined) throw new Error("x509: unsupported elliptic curve");
  return found;
}

/** Values of one attribute share a set. */
function nameOf(name: DistinguishedName): Uint8Array {
  const sets = NAME_ATTRIBUTES.flatMap(({ part, oid }) => {
    const given = name[part];
    const texts = typeof given === "string" ? (given === "" ? [] : [given]) : given;
    return texts.length === 0 ? [] : [setOf(...texts.map((text) => sequenceOf(identifierOf(oid), stringOf(text))))];
  });
  return sequenceOf(...sets);
}

const stringOf = (text: string): Uint8Array =>
  /^[A-Za-z0-9'()+,\-./ :=?]*$/.test(text) ? printableOf(text) : utf8Of(text);

const EMPTY_NAME = sequenceOf();

function extensionsOf(template: CertificateTemplate, authorityKeyId: Uint8Array): readonly Uint8Array[] {
  const { keyUsage, extendedKeyUsages } = template;
  const names = { ...template, ipAddresses: template.ipAddresses.map(shortAddress) };
  return [
    ...(keyUsage === 0 ? [] : [keyUsageExtension(keyUsage)]),
    ...(extendedKeyUsages.length === 0 ? [] : [extendedKeyUsageExtension(extendedKeyUsages)]),
    basicConstraintsExtension(false),
    ...(authorityKeyId.length === 0 ? [] : [authorityKeyExtension(authorityKeyId)]),
    ...(hasNames(names) ? [alternativeNamesExtension(names, equalBytes(nameOf(template.subject), EMPTY_NAME))] : []),
  ];
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** An IPv4 address in four bytes, also where the request maps it to IPv6. */
function shortAddress(bytes: Uint8Array): Uint8Array {
  const isMapped = bytes.length === 16 && MAPPED.every((byte, at) => bytes[at] === byte);
  return isMapped ? bytes.subarray(MAPPED.length) : bytes;
}
