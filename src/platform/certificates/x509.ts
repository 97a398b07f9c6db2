// Issues X.509 certificates: self-signed roots and the leaves below them, with ECDSA P-256 keys.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import { isIPv4 } from "node:net";
import { certificate } from "#api/x509/certificate.ts";
import { bitStringBytes, DER_SEQUENCE, derParts, derValue } from "#api/x509/der.ts";
import { identifierOf, sequenceOf, setOf, utf8Of } from "#api/x509/der-writer.ts";
import type { EpochMs } from "#base/clock.ts";
import { algorithmOf } from "./certificate-signing.ts";
import {
  alternativeNamesExtension,
  authorityKeyExtension,
  basicConstraintsExtension,
  extendedKeyUsageExtension,
  hasNames,
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
  /** Absent: the certificate signs itself. */
  readonly issuer?: KeyCertificate;
  readonly keyType?: KeyType;
}

export type KeyType = "ec" | "rsa";

const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";
const USAGES = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;
const DIGITAL_SIGNATURE = 1 << 0;
const SIGNS_CERTIFICATES_AND_LISTS = (1 << 5) | (1 << 6);

const RSA_BITS = 2048;

/** A fresh private key, PKCS #8 PEM: on the curve P-256, or an RSA key. */
export function newPrivateKeyPem(type: KeyType = "ec"): string {
  const { privateKey } =
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: RSA_BITS });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The public half of a private key, SPKI PEM. */
export function publicKeyPem(privateKeyPem: string): string {
  return createPublicKey(privateKeyPem).export({ type: "spki", format: "pem" }).toString();
}

export function issueCertificate(options: CertificateOptions): KeyCertificate {
  const keyPem = newPrivateKeyPem(options.keyType);
  const publicKey = publicKeyDer(keyPem);
  const subject = distinguishedName(options);
  const { issuer, notBefore, notAfter } = options;
  const key = createPrivateKey(issuer?.keyPem ?? keyPem);
  const issuerKey = issuer === undefined ? publicKey : publicKeyDer(issuer.keyPem);
  const der = signedCertificate(
    {
      serialNumber: serialNumber(),
      issuer: issuer === undefined ? subject : certificate(new X509Certificate(issuer.certificatePem).raw).subject,
      notBefore,
      notAfter,
      subject,
      publicKey,
      extensions: extensionsOf(options, publicKey, issuerKey),
    },
    { key, ...algorithmOf(key) },
  );
  return { certificatePem: toPem("CERTIFICATE", der), keyPem };
}

function distinguishedName({ organizations = [], commonName }: CertificateOptions): Uint8Array {
  const part = (type: string, text: string): Uint8Array => setOf(sequenceOf(identifierOf(type), utf8Of(text)));
  return sequenceOf(...organizations.map((name) => part(ORGANIZATION, name)), part(COMMON_NAME, commonName));
}

function extensionsOf(
  { isCa = false, usages = [], dnsNames = [], ipAddresses = [] }: CertificateOptions,
  subjectKey: Uint8Array,
  issuerKey: Uint8Array,
): readonly Uint8Array[] {
  const names = { dnsNames, emailAddresses: [], ipAddresses: ipAddresses.map(addressBytes), uris: [] };
  return [
    keyUsageExtension(DIGITAL_SIGNATURE | (isCa ? SIGNS_CERTIFICATES_AND_LISTS : 0)),
    basicConstraintsExtension(isCa),
    subjectKeyExtension(keyIdentifier(subjectKey)),
    authorityKeyExtension(keyIdentifier(issuerKey)),
    ...(usages.length === 0 ? [] : [extendedKeyUsageExtension(usages.map((usage) => USAGES[usage]))]),
    ...(hasNames(names) ? [alternativeNamesExtension(names)] : []),
  ];
}

/** Four bytes or sixteen. */
function addressBytes(text: string): Uint8Array {
  if (isIPv4(text)) return Uint8Array.from(text.split("."), Number);
  // A URL writes the last four bytes as two groups, too.
  const [head = "", tail = ""] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => "0");
  const numbers = [...groups(head), ...zeros, ...groups(tail)].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(numbers.flatMap((number) => [number >> 8, number & 0xff]));
}

const publicKeyDer = (privateKeyPem: string): Uint8Array =>
  createPublicKey(privateKeyPem).export({ type: "spki", format: "der" });

// RFC 5280, 4.2.1.2, method 1: the SHA-1 of the public key's bits.
function keyIdentifier(publicKey: Uint8Array): Uint8Array {
  const [, bits] = derParts(derValue(publicKey), DER_SEQUENCE);
  return createHash("sha1").update(bitStringBytes(bits)).digest();
}

// A serial number is positive and its first octet is not zero: clear the sign bit, set the next.
function serialNumber(): bigint {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return BigInt(`0x${bytes.toString("hex")}`);
}

function toPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
