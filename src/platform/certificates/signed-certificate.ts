// A certificate in DER, put together from its parts and signed. Who issues one decides what is in it.
// Upstream: RFC 5280, 4.1 and 4.2

import { type KeyObject, sign } from "node:crypto";
import {
  bitsOf,
  DER_TRUE,
  derOf,
  flagsOf,
  identifierOf,
  integerOf,
  octetsOf,
  sequenceOf,
  timeOf,
} from "#api/x509/der-writer.ts";
import type { AlternativeNames } from "#base/certificates.ts";
import type { EpochMs } from "#base/clock.ts";

export interface CertificateParts {
  readonly serialNumber: bigint;
  readonly notBefore: EpochMs;
  readonly notAfter: EpochMs;
  /** Names and key in DER. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly extensions: readonly Uint8Array[];
}

export interface SigningKey {
  readonly key: KeyObject;
  /** Null: the algorithm has its own. */
  readonly hash: "sha256" | "sha384" | "sha512" | null;
  /** An AlgorithmIdentifier in DER. */
  readonly identifier: Uint8Array;
}

const VERSION_TAG = 0xa0;
const VERSION_3 = 2n;
const EXTENSIONS_TAG = 0xa3;

export function signedCertificate(parts: CertificateParts, { key, hash, identifier }: SigningKey): Uint8Array {
  const { serialNumber, issuer, notBefore, notAfter, subject, publicKey, extensions } = parts;
  const content = sequenceOf(
    derOf(VERSION_TAG, integerOf(VERSION_3)),
    integerOf(serialNumber),
    identifier,
    issuer,
    sequenceOf(timeOf(notBefore), timeOf(notAfter)),
    subject,
    publicKey,
    derOf(EXTENSIONS_TAG, sequenceOf(...extensions)),
  );
  return sequenceOf(content, identifier, bitsOf(sign(hash, content, key)));
}

const extensionOf = (oid: string, isCritical: boolean, value: Uint8Array): Uint8Array =>
  sequenceOf(identifierOf(oid), ...(isCritical ? [DER_TRUE] : []), octetsOf(value));

/** Bit 0 is digitalSignature. */
export const keyUsageExtension = (flags: number): Uint8Array => extensionOf("2.5.29.15", true, flagsOf(flags));

export const extendedKeyUsageExtension = (oids: readonly string[]): Uint8Array =>
  extensionOf("2.5.29.37", false, sequenceOf(...oids.map(identifierOf)));

export const basicConstraintsExtension = (isCa: boolean): Uint8Array =>
  extensionOf("2.5.29.19", true, sequenceOf(...(isCa ? [DER_TRUE] : [])));

export const subjectKeyExtension = (keyId: Uint8Array): Uint8Array => extensionOf("2.5.29.14", false, octetsOf(keyId));

export const authorityKeyExtension = (keyId: Uint8Array): Uint8Array =>
  extensionOf("2.5.29.35", false, sequenceOf(derOf(0x80, keyId)));

const EMAIL_TAG = 0x81;
const DNS_TAG = 0x82;
const URI_TAG = 0x86;
const IP_TAG = 0x87;

/** Addresses have 4 or 16 bytes. */
export function alternativeNamesExtension(names: AlternativeNames, isCritical = false): Uint8Array {
  const text = (tag: number) => (name: string) => derOf(tag, new TextEncoder().encode(name));
  const all = [
    ...names.dnsNames.map(text(DNS_TAG)),
    ...names.emailAddresses.map(text(EMAIL_TAG)),
    ...names.ipAddresses.map((bytes) => derOf(IP_TAG, bytes)),
    ...names.uris.map(text(URI_TAG)),
  ];
  return extensionOf("2.5.29.17", isCritical, sequenceOf(...all));
}

export const hasNames = ({ dnsNames, emailAddresses, ipAddresses, uris }: AlternativeNames): boolean =>
  dnsNames.length + emailAddresses.length + ipAddresses.length + uris.length > 0;
