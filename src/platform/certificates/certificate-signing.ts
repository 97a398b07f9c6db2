// Signs certificates as Go's crypto/x509 does: the same fields, in the same order and encoding. The ASN.1 shapes come from
// @peculiar/asn1-x509; signing is node:crypto, synchronous.
// Upstream: crypto/x509, CreateCertificate and buildCertExtensions

import { type KeyObject, sign, X509Certificate } from "node:crypto";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import * as asn from "@peculiar/asn1-x509";
import { certificate } from "#api/x509/certificate.ts";
import { equalBytes } from "#api/x509/der.ts";
import { NAME_ATTRIBUTES } from "#api/x509/name.ts";
import type {
  AlternativeNames,
  CertificateAuthority,
  CertificateTemplate,
  DistinguishedName,
} from "#base/certificates.ts";
import type { CertificateSigning } from "#base/host.ts";
import { readPrivateKey } from "../tokens/jwt-signer.ts";

export const authority: CertificateSigning["authority"] = (certificatePem, keyPem) => {
  const { raw } = new X509Certificate(certificatePem);
  const { notAfter, subjectKeyId, subject } = certificate(raw);
  const issuer = AsnConvert.parse(raw, asn.Certificate).tbsCertificate.subject;
  const key = readPrivateKey(keyPem);
  const algorithm = signatureAlgorithmOf(key);
  return {
    notAfter,
    sign(template) {
      const name = nameOf(template.subject);
      const isOwnName = equalBytes(new Uint8Array(AsnConvert.serialize(name)), subject);
      const tbsCertificate = new asn.TBSCertificate({
        version: asn.Version.v3,
        serialNumber: integerBytes(template.serialNumber),
        signature: algorithm.identifier,
        issuer,
        validity: new asn.Validity({
          notBefore: wholeSeconds(template.notBefore),
          notAfter: wholeSeconds(template.notAfter),
        }),
        subject: name,
        subjectPublicKeyInfo: AsnConvert.parse(template.publicKey, asn.SubjectPublicKeyInfo),
        extensions: new asn.Extensions(extensionsOf(template, isOwnName ? new Uint8Array() : subjectKeyId)),
      });
      const signatureValue = sign(algorithm.hash, Buffer.from(AsnConvert.serialize(tbsCertificate)), key);
      const signed = new asn.Certificate({
        tbsCertificate,
        signatureAlgorithm: algorithm.identifier,
        signatureValue: arrayBuffer(signatureValue),
      });
      return new Uint8Array(AsnConvert.serialize(signed));
    },
  } satisfies CertificateAuthority;
};

interface Algorithm {
  readonly hash: "sha256" | "sha384" | "sha512" | null;
  readonly identifier: asn.AlgorithmIdentifier;
}

const ecdsaAlgorithms: Readonly<Record<string, Algorithm>> = {
  secp224r1: ecdsaWith("sha256", "1.2.840.10045.4.3.2"),
  prime256v1: ecdsaWith("sha256", "1.2.840.10045.4.3.2"),
  secp384r1: ecdsaWith("sha384", "1.2.840.10045.4.3.3"),
  secp521r1: ecdsaWith("sha512", "1.2.840.10045.4.3.4"),
};

function ecdsaWith(hash: "sha256" | "sha384" | "sha512", algorithm: string): Algorithm {
  return { hash, identifier: new asn.AlgorithmIdentifier({ algorithm }) };
}

function signatureAlgorithmOf(key: KeyObject): Algorithm {
  if (key.asymmetricKeyType === "rsa") {
    const identifier = new asn.AlgorithmIdentifier({ algorithm: "1.2.840.113549.1.1.11", parameters: null });
    return { hash: "sha256", identifier };
  }
  if (key.asymmetricKeyType === "ed25519") {
    return { hash: null, identifier: new asn.AlgorithmIdentifier({ algorithm: "1.3.101.112" }) };
  }
  if (key.asymmetricKeyType !== "ec") throw new Error("x509: only RSA, ECDSA and Ed25519 keys supported");
  const algorithm = ecdsaAlgorithms[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (algorithm === undefined) throw new Error("x509: unsupported elliptic curve");
  return algorithm;
}

/** Values of one attribute share one SET, and DER sorts the elements of a SET. */
function nameOf(name: DistinguishedName): asn.Name {
  const sets = NAME_ATTRIBUTES.flatMap(({ part, oid }) => {
    const given = name[part];
    const texts = typeof given === "string" ? (given === "" ? [] : [given]) : given;
    if (texts.length === 0) return [];
    const values = texts.map((text) => new asn.AttributeTypeAndValue({ type: oid, value: stringValue(text) }));
    return [new asn.RelativeDistinguishedName(values.toSorted(byEncoding))];
  });
  return new asn.Name(sets);
}

const byEncoding = (a: object, b: object): number =>
  Buffer.compare(Buffer.from(AsnConvert.serialize(a)), Buffer.from(AsnConvert.serialize(b)));

function stringValue(text: string): asn.AttributeValue {
  const isPrintable = /^[A-Za-z0-9'()+,\-./ :=?]*$/.test(text);
  return new asn.AttributeValue(isPrintable ? { printableString: text } : { utf8String: text });
}

function extensionsOf(template: CertificateTemplate, authorityKeyId: Uint8Array): asn.Extension[] {
  const extensions: asn.Extension[] = [];
  if (template.keyUsage !== 0)
    extensions.push(extension(asn.id_ce_keyUsage, true, new asn.KeyUsage(template.keyUsage)));
  if (template.extendedKeyUsages.length > 0) {
    const usages = new asn.ExtendedKeyUsage([...template.extendedKeyUsages]);
    extensions.push(extension(asn.id_ce_extKeyUsage, false, usages));
  }
  extensions.push(extension(asn.id_ce_basicConstraints, true, new asn.BasicConstraints({ cA: false })));
  if (authorityKeyId.length > 0) {
    const keyIdentifier = new asn.KeyIdentifier(arrayBuffer(authorityKeyId));
    const identifier = new asn.AuthorityKeyIdentifier({ keyIdentifier });
    extensions.push(extension(asn.id_ce_authorityKeyIdentifier, false, identifier));
  }
  const names = generalNames(template);
  if (names.length > 0) {
    const isCritical = nameOf(template.subject).length === 0;
    extensions.push(extension(asn.id_ce_subjectAltName, isCritical, new asn.SubjectAlternativeName(names)));
  }
  return extensions;
}

function generalNames({ dnsNames, emailAddresses, ipAddresses, uris }: AlternativeNames): asn.GeneralName[] {
  return [
    ...dnsNames.map((dNSName) => new asn.GeneralName({ dNSName })),
    ...emailAddresses.map((rfc822Name) => new asn.GeneralName({ rfc822Name })),
    ...ipAddresses.map((bytes) => new asn.GeneralName({ iPAddress: ipText(bytes) })),
    ...uris.map((uniformResourceIdentifier) => new asn.GeneralName({ uniformResourceIdentifier })),
  ];
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** An IPv4 address has four bytes, even if the request maps it to IPv6. */
function ipText(bytes: Uint8Array): string {
  const isMapped = bytes.length === 16 && MAPPED.every((byte, at) => bytes[at] === byte);
  const address = isMapped ? bytes.subarray(MAPPED.length) : bytes;
  if (address.length === 4) return address.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => ((address[2 * at] ?? 0) << 8) | (address[2 * at + 1] ?? 0));
  return groups.map((group) => group.toString(16)).join(":");
}

function extension(extnID: string, critical: boolean, value: object): asn.Extension {
  return new asn.Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

const wholeSeconds = (timeMs: number): Date => new Date(Math.floor(timeMs / 1000) * 1000);

/** The shortest encoding of a non-negative number. */
function integerBytes(value: bigint): ArrayBuffer {
  const hex = value.toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  return arrayBuffer(Buffer.from(Number.parseInt(even.slice(0, 2), 16) > 0x7f ? `00${even}` : even, "hex"));
}

function arrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
