// The parts of an X.509 certificate in DER, and their signature by node:crypto, synchronous.

import { type KeyObject, sign } from "node:crypto";
import { DER_BOOLEAN, DER_NULL, DER_OCTET_STRING } from "#api/x509/der.ts";
import {
  der,
  derBytesAsBits,
  derFlags,
  derIdentifier,
  derNumber,
  derSequence,
  derText,
  derTime,
} from "#api/x509/der-writer.ts";
import type { EpochMs } from "#base/clock.ts";

const VERSION_3 = der(0xa0, derNumber(2n));
const EXTENSIONS = 0xa3;
const KEY_IDENTIFIER = 0x80;

export interface CertificateContent {
  readonly serialNumber: bigint;
  /** Names and the public key are DER. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly notBefore: EpochMs;
  readonly notAfter: EpochMs;
  readonly extensions: readonly Uint8Array[];
}

/** A certificate in DER. Throws in Go's words when the key is of a kind that signs none. */
export function signedCertificate(content: CertificateContent, issuerKey: KeyObject): Uint8Array {
  const { hash, identifier } = signatureAlgorithmOf(issuerKey);
  const signed = derSequence(
    VERSION_3,
    derNumber(content.serialNumber),
    identifier,
    content.issuer,
    derSequence(derTime(content.notBefore), derTime(content.notAfter)),
    content.subject,
    content.publicKey,
    der(EXTENSIONS, derSequence(...content.extensions)),
  );
  return derSequence(signed, identifier, derBytesAsBits(sign(hash, signed, issuerKey)));
}

interface Algorithm {
  readonly hash: "sha256" | "sha384" | "sha512" | null;
  readonly identifier: Uint8Array;
}

const algorithm = (hash: Algorithm["hash"], id: string, ...parameters: readonly Uint8Array[]): Algorithm => ({
  hash,
  identifier: derSequence(derIdentifier(id), ...parameters),
});

const ecdsaAlgorithms: Readonly<Record<string, Algorithm>> = {
  secp224r1: algorithm("sha256", "1.2.840.10045.4.3.2"),
  prime256v1: algorithm("sha256", "1.2.840.10045.4.3.2"),
  secp384r1: algorithm("sha384", "1.2.840.10045.4.3.3"),
  secp521r1: algorithm("sha512", "1.2.840.10045.4.3.4"),
};

export function signatureAlgorithmOf(key: KeyObject): Algorithm {
  if (key.asymmetricKeyType === "rsa") return algorithm("sha256", "1.2.840.113549.1.1.11", der(DER_NULL));
  if (key.asymmetricKeyType === "ed25519") return algorithm(null, "1.3.101.112");
  if (key.asymmetricKeyType !== "ec") throw new Error("x509: only RSA, ECDSA and Ed25519 keys supported");
  const found = ecdsaAlgorithms[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (found === undefined) throw new Error("x509: unsupported elliptic curve");
  return found;
}

/** Bits of a key usage, as Go counts them. */
export const KEY_USAGE = { digitalSignature: 0x01, certSign: 0x20, crlSign: 0x40 } as const;

export const keyUsageExtension = (usage: number): Uint8Array => extension("2.5.29.15", derFlags(usage), true);

/** Object identifiers, in order. */
export const extendedKeyUsageExtension = (usages: readonly string[]): Uint8Array =>
  extension("2.5.29.37", derSequence(...usages.map(derIdentifier)));

export const basicConstraintsExtension = (isCa: boolean): Uint8Array =>
  extension("2.5.29.19", derSequence(...(isCa ? [TRUE] : [])), true);

export const subjectKeyExtension = (keyId: Uint8Array): Uint8Array =>
  extension("2.5.29.14", der(DER_OCTET_STRING, keyId));

export const authorityKeyExtension = (keyId: Uint8Array): Uint8Array =>
  extension("2.5.29.35", derSequence(der(KEY_IDENTIFIER, keyId)));

/** Values of general names, each with its tag. */
export const alternativeNamesExtension = (names: readonly Uint8Array[], isCritical = false): Uint8Array =>
  extension("2.5.29.17", derSequence(...names), isCritical);

export const generalName = {
  email: (address: string): Uint8Array => derText(0x81, address),
  dns: (name: string): Uint8Array => derText(0x82, name),
  uri: (uri: string): Uint8Array => derText(0x86, uri),
  /** 4 or 16 bytes. */
  ip: (address: Uint8Array): Uint8Array => der(0x87, address),
} as const;

const TRUE = der(DER_BOOLEAN, Uint8Array.of(0xff));

function extension(id: string, value: Uint8Array, isCritical = false): Uint8Array {
  return derSequence(derIdentifier(id), ...(isCritical ? [TRUE] : []), der(DER_OCTET_STRING, value));
}
