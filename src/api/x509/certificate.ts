// The parts of a certificate that rules of the API need. Pure.
// Upstream: Go's crypto/x509/parser.go, parseCertificate Deviation: extensions that no rule asks about are not read.

import type { AlternativeNames } from "#base/certificates.ts";
import type { EpochMs } from "#base/clock.ts";
import { alternativeNames, NO_NAMES } from "./alternative-names.ts";
import {
  bitStringBytes,
  DER_BOOLEAN,
  DER_OCTET_STRING,
  DER_SEQUENCE,
  type DerValue,
  derContent,
  derInteger,
  derParts,
  derValue,
  derValues,
  InvalidDer,
  objectIdentifier,
} from "./der.ts";
import { latin1 } from "./directory-string.ts";
import { distinguishedName } from "./name.ts";
import { type PublicKey, publicKey } from "./public-key.ts";

export interface ReadCertificate extends AlternativeNames {
  readonly notBefore: EpochMs;
  readonly notAfter: EpochMs;
  readonly key: PublicKey;
  /** A SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  /** From the basic constraints; undefined without them. */
  readonly isCa: boolean | undefined;
  /** The subject's name in DER. */
  readonly subject: Uint8Array;
  readonly subjectKeyId: Uint8Array;
}

const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const BASIC_CONSTRAINTS = "2.5.29.19";
const ALTERNATIVE_NAMES = "2.5.29.17";
const SUBJECT_KEY_ID = "2.5.29.14";

/** Throws InvalidDer. */
export function certificate(der: Uint8Array): ReadCertificate {
  const [content, algorithm, signature] = derParts(derValue(der), DER_SEQUENCE);
  const parts = derParts(content, DER_SEQUENCE);
  const [serial, , issuer, validity, subject, key, ...rest] = parts[0]?.tag === VERSION ? parts.slice(1) : parts;
  derInteger(serial);
  derParts(algorithm, DER_SEQUENCE);
  bitStringBytes(signature);
  distinguishedName(issuer);
  distinguishedName(subject);
  const [notBefore, notAfter] = derParts(validity, DER_SEQUENCE);
  const extensions = extensionsIn(rest.find(({ tag }) => tag === EXTENSIONS));
  const names = extensions.get(ALTERNATIVE_NAMES);
  const constraints = extensions.get(BASIC_CONSTRAINTS);
  const keyId = extensions.get(SUBJECT_KEY_ID);
  return {
    notBefore: time(notBefore),
    notAfter: time(notAfter),
    key: publicKey(key),
    publicKey: key?.raw ?? new Uint8Array(),
    isCa: constraints && isCaIn(constraints),
    subject: subject?.raw ?? new Uint8Array(),
    subjectKeyId: keyId === undefined ? new Uint8Array() : derContent(derValues(keyId)[0], DER_OCTET_STRING),
    ...(names === undefined ? NO_NAMES : alternativeNames(names)),
  };
}

function extensionsIn(holder: DerValue | undefined): ReadonlyMap<string, Uint8Array> {
  const extensions = new Map<string, Uint8Array>();
  if (holder === undefined) return extensions;
  for (const extension of derParts(derValues(holder.content)[0], DER_SEQUENCE)) {
    const [id, ...rest] = derParts(extension, DER_SEQUENCE);
    const oid = objectIdentifier(id);
    if (extensions.has(oid)) throw new InvalidDer("x509: certificate contains duplicate extensions");
    extensions.set(oid, derContent(rest[0]?.tag === DER_BOOLEAN ? rest[1] : rest[0], DER_OCTET_STRING));
  }
  return extensions;
}

function isCaIn(constraints: Uint8Array): boolean {
  const [first] = derParts(derValues(constraints)[0], DER_SEQUENCE);
  return first?.tag === DER_BOOLEAN && first.content[0] !== 0;
}

const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

function time(value: DerValue | undefined): EpochMs {
  const text = value === undefined ? "" : latin1(value.content);
  const form = value?.tag === UTC_TIME ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/ : GENERALIZED;
  const match = value?.tag === UTC_TIME || value?.tag === GENERALIZED_TIME ? form.exec(text) : null;
  if (match === null) throw new InvalidDer("x509: unsupported time format");
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const fullYear = value?.tag === UTC_TIME ? year + (year >= 50 ? 1900 : 2000) : year;
  return Date.UTC(fullYear, month - 1, day, hour, minute, second);
}

const GENERALIZED = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
