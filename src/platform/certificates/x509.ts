// Issues X.509 certificates: self-signed roots and the leaves below them, with ECDSA P-256 keys.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import { encodePem } from "#api/pem.ts";
import { certificate } from "#api/x509/certificate.ts";
import { bitStringBytes, DER_SEQUENCE, DER_SET, derParts, derValue } from "#api/x509/der.ts";
import { der, derIdentifier, derSequence, derText } from "#api/x509/der-writer.ts";
import { DER_UTF8_STRING } from "#api/x509/directory-string.ts";
import type { EpochMs } from "#base/clock.ts";
import { parseSloppyIp } from "#rules/ip.ts";
import {
  alternativeNamesExtension,
  authorityKeyExtension,
  basicConstraintsExtension,
  extendedKeyUsageExtension,
  generalName,
  KEY_USAGE,
  keyUsageExtension,
  signedCertificate,
  subjectKeyExtension,
} from "./signed-certificate.ts";

/** A certificate and its private key, both PEM (the key PKCS #8). */
export interface KeyCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CertificateOptions {
  readonly commonName: string;
  /** Kubernetes reads them as the groups of a user. */
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly usages?: readonly ("server" | "client")[];
  readonly isCa?: boolean;
  readonly notBefore: EpochMs;
  readonly notAfter: EpochMs;
  /** Absent: the certificate signs itself, which takes an EC key. */
  readonly issuer?: KeyCertificate;
  readonly keyType?: KeyType;
}

export type KeyType = "ec" | "rsa";

const commonNameOid = "2.5.4.3";
const organizationOid = "2.5.4.10";
const usageOids = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" };

const RSA_BITS = 2048;

/** A fresh private key, PKCS #8 PEM: on the curve P-256, or an RSA key. */
export function newPrivateKeyPem(type?: KeyType): string {
  return keyPemOf(newKey(type));
}

function newKey(type: KeyType = "ec"): KeyObject {
  return type === "ec"
    ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    : generateKeyPairSync("rsa", { modulusLength: RSA_BITS }).privateKey;
}

const keyPemOf = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();

/** The public half of a private key, SPKI PEM. */
export function publicKeyPem(privateKeyPem: string): string {
  return createPublicKey(privateKeyPem).export({ type: "spki", format: "pem" }).toString();
}

export function issueCertificate(options: CertificateOptions): KeyCertificate {
  const key = newKey(options.keyType);
  const subject = distinguishedName(options);
  const issuer = options.issuer && {
    subject: certificate(new X509Certificate(options.issuer.certificatePem).raw).subject,
    key: createPrivateKey(options.issuer.keyPem),
  };
  const publicKey = spkiOf(key);
  const der = signedCertificate(
    {
      serialNumber: serialNumber(),
      issuer: issuer?.subject ?? subject,
      subject,
      publicKey,
      notBefore: options.notBefore,
      notAfter: options.notAfter,
      extensions: extensionsOf(options, publicKey, issuer === undefined ? publicKey : spkiOf(issuer.key)),
    },
    issuer?.key ?? key,
  );
  return { certificatePem: encodePem("CERTIFICATE", der), keyPem: keyPemOf(key) };
}

function distinguishedName({ organizations = [], commonName }: CertificateOptions): Uint8Array {
  const part = (type: string, text: string): Uint8Array =>
    der(DER_SET, derSequence(derIdentifier(type), derText(DER_UTF8_STRING, text)));
  return derSequence(...organizations.map((name) => part(organizationOid, name)), part(commonNameOid, commonName));
}

function extensionsOf(
  { isCa = false, usages = [], dnsNames = [], ipAddresses = [] }: CertificateOptions,
  subjectKey: Uint8Array,
  issuerKey: Uint8Array,
): readonly Uint8Array[] {
  const { digitalSignature, certSign, crlSign } = KEY_USAGE;
  const names = [...dnsNames.map(generalName.dns), ...ipAddresses.map((text) => generalName.ip(ipBytes(text)))];
  return [
    keyUsageExtension(isCa ? digitalSignature | certSign | crlSign : digitalSignature),
    basicConstraintsExtension(isCa),
    subjectKeyExtension(keyIdentifier(subjectKey)),
    authorityKeyExtension(keyIdentifier(issuerKey)),
    ...(usages.length === 0 ? [] : [extendedKeyUsageExtension(usages.map((usage) => usageOids[usage]))]),
    ...(names.length === 0 ? [] : [alternativeNamesExtension(names)]),
  ];
}

function ipBytes(text: string): Uint8Array {
  const address = parseSloppyIp(text);
  if (address === undefined) throw new Error(`${text} is no IP address`);
  return Uint8Array.from(address.bytes);
}

const spkiOf = (key: KeyObject): Uint8Array => createPublicKey(key).export({ type: "spki", format: "der" });

// RFC 5280, 4.2.1.2, method 1: the SHA-1 of the public key's bits.
function keyIdentifier(publicKey: Uint8Array): Uint8Array {
  const [, bits] = derParts(derValue(publicKey), DER_SEQUENCE);
  return createHash("sha1").update(bitStringBytes(bits)).digest();
}

// Positive, and always of 16 octets: the sign bit is clear, the next is set.
function serialNumber(): bigint {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return BigInt(`0x${bytes.toString("hex")}`);
}
