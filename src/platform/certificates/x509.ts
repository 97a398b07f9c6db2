// Issues X.509 certificates: self-signed roots and the leaves below them, with ECDSA P-256 keys.
// The ASN.1 shapes come from @peculiar/asn1-x509; signing is node:crypto, synchronous.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import * as asn from "@peculiar/asn1-x509";
import { certificate } from "#api/x509/certificate.ts";
import { bitStringBytes, DER_SEQUENCE, derParts, derValue, objectIdentifier } from "#api/x509/der.ts";
import type { EpochMs } from "#base/clock.ts";

/** A certificate and its private key, both PEM (the key PKCS #8). */
export interface KeyCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CertificateOptions {
  readonly commonName: string;
  /** Kubernetes reads organizations as the user's groups. */
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly usages?: readonly ("server" | "client")[];
  readonly isCa?: boolean;
  readonly notBefore: EpochMs;
  readonly notAfter: EpochMs;
  /** Absent: the certificate is self-signed, which needs an EC key. */
  readonly issuer?: KeyCertificate;
  readonly keyType?: KeyType;
}

export type KeyType = "ec" | "rsa";

const ecdsaWithSha256 = "1.2.840.10045.4.3.2";
const commonNameOid = "2.5.4.3";
const organizationOid = "2.5.4.10";

const RSA_BITS = 2048;

/** A new private key in PKCS #8 PEM: EC on curve P-256, or RSA. */
export function newPrivateKeyPem(type: KeyType = "ec"): string {
  return pemOf(newKeyPair(type).privateKey);
}

function newKeyPair(type: KeyType = "ec"): Readonly<Record<"publicKey" | "privateKey", KeyObject>> {
  return type === "ec"
    ? generateKeyPairSync("ec", { namedCurve: "P-256" })
    : generateKeyPairSync("rsa", { modulusLength: RSA_BITS });
}

const pemOf = (privateKey: KeyObject): string => privateKey.export({ type: "pkcs8", format: "pem" }).toString();

/** The public half of a private key, SPKI PEM. */
export function publicKeyPem(privateKeyPem: string): string {
  return createPublicKey(privateKeyPem).export({ type: "spki", format: "pem" }).toString();
}

/** What a certificate says about its issuer, and the key that signs it. */
interface Issuer {
  readonly name: asn.Name;
  readonly key: KeyObject;
  readonly keyIdentifier: ArrayBuffer;
}

/** Issuers of this process, by their pairs, which therefore need not be read. */
const issuers = new WeakMap<KeyCertificate, Issuer>();

export function issueCertificate(options: CertificateOptions): KeyCertificate {
  const { publicKey, privateKey } = newKeyPair(options.keyType);
  const subjectPublicKeyInfo = publicKeyInfo(publicKey);
  const subject: Issuer = {
    name: distinguishedName(options),
    key: privateKey,
    keyIdentifier: keyIdentifier(subjectPublicKeyInfo),
  };
  const issuer = options.issuer === undefined ? subject : issuerOf(options.issuer);
  const algorithm = new asn.AlgorithmIdentifier({ algorithm: ecdsaWithSha256 });
  const tbsCertificate = new asn.TBSCertificate({
    version: asn.Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: issuer.name,
    validity: new asn.Validity({ notBefore: new Date(options.notBefore), notAfter: new Date(options.notAfter) }),
    subject: subject.name,
    subjectPublicKeyInfo,
    extensions: new asn.Extensions(extensionsOf(options, subject, issuer)),
  });
  const signatureValue = sign("sha256", Buffer.from(AsnConvert.serialize(tbsCertificate)), issuer.key);
  const signed = new asn.Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: toArrayBuffer(signatureValue),
  });
  const issued = {
    certificatePem: toPem("CERTIFICATE", AsnConvert.serialize(signed)),
    keyPem: pemOf(privateKey),
  };
  issuers.set(issued, subject);
  return issued;
}

function issuerOf(pair: KeyCertificate): Issuer {
  const known = issuers.get(pair);
  if (known !== undefined) return known;
  const key = createPrivateKey(pair.keyPem);
  return {
    name: subjectOf(pair.certificatePem),
    key,
    keyIdentifier: keyIdentifier(publicKeyInfo(createPublicKey(key))),
  };
}

function distinguishedName({ organizations = [], commonName }: CertificateOptions): asn.Name {
  const part = (type: string, text: string): asn.RelativeDistinguishedName =>
    new asn.RelativeDistinguishedName([
      new asn.AttributeTypeAndValue({ type, value: new asn.AttributeValue({ utf8String: text }) }),
    ]);
  return new asn.Name([...organizations.map((name) => part(organizationOid, name)), part(commonNameOid, commonName)]);
}

function extensionsOf(options: CertificateOptions, subject: Issuer, issuer: Issuer): asn.Extension[] {
  const isCa = options.isCa ?? false;
  const { KeyUsageFlags } = asn;
  const keyUsage = KeyUsageFlags.digitalSignature | (isCa ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign : 0);
  const extensions = [
    extension(asn.id_ce_keyUsage, true, new asn.KeyUsage(keyUsage)),
    extension(asn.id_ce_basicConstraints, true, new asn.BasicConstraints({ cA: isCa })),
    extension(asn.id_ce_subjectKeyIdentifier, false, new asn.SubjectKeyIdentifier(subject.keyIdentifier)),
    extension(
      asn.id_ce_authorityKeyIdentifier,
      false,
      new asn.AuthorityKeyIdentifier({ keyIdentifier: new asn.KeyIdentifier(issuer.keyIdentifier) }),
    ),
  ];
  const usages = options.usages ?? [];
  if (usages.length > 0) {
    const oids = usages.map((usage) => (usage === "server" ? asn.id_kp_serverAuth : asn.id_kp_clientAuth));
    extensions.push(extension(asn.id_ce_extKeyUsage, false, new asn.ExtendedKeyUsage(oids)));
  }
  const names = [
    ...(options.dnsNames ?? []).map((dNSName) => new asn.GeneralName({ dNSName })),
    ...(options.ipAddresses ?? []).map((iPAddress) => new asn.GeneralName({ iPAddress })),
  ];
  if (names.length > 0) {
    extensions.push(extension(asn.id_ce_subjectAltName, false, new asn.SubjectAlternativeName(names)));
  }
  return extensions;
}

function extension(extnID: string, critical: boolean, value: object): asn.Extension {
  return new asn.Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

// Read with our own parser: it is smaller than the one of the library, which need not run.
function publicKeyInfo(key: KeyObject): asn.SubjectPublicKeyInfo {
  const [algorithm, bits] = derParts(derValue(key.export({ type: "spki", format: "der" })), DER_SEQUENCE);
  const [id, parameters] = derParts(algorithm, DER_SEQUENCE);
  return new asn.SubjectPublicKeyInfo({
    algorithm: new asn.AlgorithmIdentifier({
      algorithm: objectIdentifier(id),
      ...(parameters && { parameters: toArrayBuffer(parameters.raw) }),
    }),
    subjectPublicKey: toArrayBuffer(bitStringBytes(bits)),
  });
}

// RFC 5280, 4.2.1.2, method 1: the SHA-1 of the public key's bits.
function keyIdentifier(key: asn.SubjectPublicKeyInfo): ArrayBuffer {
  return toArrayBuffer(createHash("sha1").update(Buffer.from(key.subjectPublicKey)).digest());
}

// Reads the subject alone: the library is much slower on a whole certificate.
function subjectOf(pem: string): asn.Name {
  return AsnConvert.parse(certificate(new X509Certificate(pem).raw).subject, asn.Name);
}

// A serial number is positive and its first octet is not zero: clear the sign bit, set the next.
function serialNumber(): ArrayBuffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return toArrayBuffer(bytes);
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function toPem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
