// Reads the fields of a certificate from its DER. The runtimes' own text for a subject escapes values in ways that
// cannot be undone reliably: a line feed in an organization must not become a second organization. Pure.
// Upstream: Go's crypto/x509/parser.go, parseName and processExtensions; crypto/x509/pkix, FillFromRDNSequence

import {
  DER_SEQUENCE,
  DER_SET,
  type DerValue,
  derInteger,
  derParts,
  derValues,
  InvalidDer,
  objectIdentifier,
} from "#api/x509/der.ts";
import { directoryString } from "#api/x509/directory-string.ts";

export interface NameAttributes {
  /** If there are several, the last one counts, as in Go. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** UIDs of the user, from an attribute that Kubernetes defines. */
  readonly uids: readonly string[];
}

export interface CertificateContent {
  readonly subject: NameAttributes;
  readonly issuer: NameAttributes;
  readonly serialNumber: bigint;
  /** Identifier of the signature algorithm. */
  readonly signatureAlgorithm: string;
  readonly extensions: ReadonlyMap<string, Extension>;
}

export interface Extension {
  readonly isCritical: boolean;
  /** DER. */
  readonly value: Uint8Array;
}

const SUBJECT_KEY_ID = "2.5.29.14";
const AUTHORITY_KEY_ID = "2.5.29.35";
const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";
/** Upstream: apimachinery/pkg/apis/asn1/oid.go, X509UID. */
const USER_UID = "1.3.6.1.4.1.57683.2";
const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;
const KEY_ID_TAG = 0x80;
const BOOLEAN = 0x01;

/** Throws InvalidDer for malformed DER. */
export function certificateContent(der: Uint8Array): CertificateContent {
  const [tbs, algorithm] = derParts(derValues(der)[0], DER_SEQUENCE);
  const parts = derParts(tbs, DER_SEQUENCE);
  const [serialNumber, , issuer, , subject, , ...rest] = parts[0]?.tag === VERSION_TAG ? parts.slice(1) : parts;
  return {
    subject: nameAttributes(subject),
    issuer: nameAttributes(issuer),
    serialNumber: derInteger(serialNumber),
    signatureAlgorithm: objectIdentifier(derParts(algorithm, DER_SEQUENCE)[0]),
    extensions: extensionsIn(rest.find(({ tag }) => tag === EXTENSIONS_TAG)),
  };
}

/** How errors name a certificate: "SN=12, SKID=0A:0B, AKID=0C:0D". */
export function certificateIdentifier({ serialNumber, extensions }: CertificateContent): string {
  const valueIn = (id: string): DerValue | undefined => derValues(extensions.get(id)?.value ?? new Uint8Array())[0];
  const authority = valueIn(AUTHORITY_KEY_ID);
  const authorityKey = authority && derParts(authority, DER_SEQUENCE).find(({ tag }) => tag === KEY_ID_TAG);
  return `SN=${serialNumber}, SKID=${colonHex(valueIn(SUBJECT_KEY_ID))}, AKID=${colonHex(authorityKey)}`;
}

function colonHex(value: DerValue | undefined): string {
  return [...(value?.content ?? [])].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(":");
}

function nameAttributes(name: DerValue | undefined): NameAttributes {
  let commonName = "";
  const organizations: string[] = [];
  const uids: string[] = [];
  for (const set of derParts(name, DER_SEQUENCE)) {
    for (const attribute of derParts(set, DER_SET)) {
      const [type, value] = derParts(attribute, DER_SEQUENCE);
      if (value === undefined) throw new InvalidDer("an attribute without a value");
      const text = stringOf(value);
      const id = objectIdentifier(type);
      if (id === COMMON_NAME) commonName = text;
      if (id === ORGANIZATION) organizations.push(text);
      if (id === USER_UID) uids.push(text);
    }
  }
  return { commonName, organizations, uids };
}

function extensionsIn(holder: DerValue | undefined): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  if (holder === undefined) return extensions;
  for (const extension of derParts(derValues(holder.content)[0], DER_SEQUENCE)) {
    const [id, ...rest] = derParts(extension, DER_SEQUENCE);
    const value = rest.at(-1)?.content ?? new Uint8Array();
    const isCritical = rest.length > 1 && rest[0]?.tag === BOOLEAN && rest[0].content[0] !== 0;
    extensions.set(objectIdentifier(id), { isCritical, value });
  }
  return extensions;
}

function stringOf(value: DerValue): string {
  const text = directoryString(value);
  if (text === undefined) throw new InvalidDer(`unsupported string type: ${value.tag}`);
  return text;
}
