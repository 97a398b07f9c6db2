// A certificate signing request (PKCS #10), parsed from PEM or DER. Pure.
// Upstream: Go's crypto/x509, ParseCertificateRequest; pkg/apis/certificates, ParseCSR

import type { AlternativeNames, DistinguishedName } from "#base/certificates.ts";
import { type PemBlock, pemBlocks, pemTextOf } from "../pem.ts";
import { alternativeNames, NO_NAMES } from "./alternative-names.ts";
import {
  bitStringBytes,
  DER_BOOLEAN,
  DER_OCTET_STRING,
  DER_SEQUENCE,
  DER_SET,
  type DerValue,
  derContent,
  derInteger,
  derParts,
  derValue,
  derValues,
  InvalidDer,
  objectIdentifier,
} from "./der.ts";
import { distinguishedName } from "./name.ts";
import { publicKey } from "./public-key.ts";
import { type SignedContent, signatureAlgorithm } from "./signature-algorithm.ts";

export interface CertificateRequest extends AlternativeNames {
  readonly subject: DistinguishedName;
  readonly signed: SignedContent;
}

const ATTRIBUTES = 0xa0;
const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
const ALTERNATIVE_NAMES = "2.5.29.17";

/** request: the field of the API object. Throws with Go's messages. */
export function parseRequest(request: string | undefined): CertificateRequest {
  const [block]: readonly (PemBlock | undefined)[] = pemBlocks(pemTextOf(request));
  if (block?.type !== "CERTIFICATE REQUEST") throw new InvalidDer("PEM block type must be CERTIFICATE REQUEST");
  return certificateRequest(block.bytes);
}

/** Throws with Go's messages. */
export function certificateRequest(der: Uint8Array): CertificateRequest {
  const [content, algorithm, signature] = derParts(derValue(der), DER_SEQUENCE, 3);
  const [version, subject, key, attributes] = derParts(content, DER_SEQUENCE, 4);
  derInteger(version);
  if (attributes !== undefined && attributes.tag !== ATTRIBUTES) derContent(attributes, ATTRIBUTES);
  const signed: SignedContent = {
    algorithm: signatureAlgorithm(algorithm),
    key: publicKey(key),
    publicKey: key?.raw ?? new Uint8Array(),
    bytes: content?.raw ?? new Uint8Array(),
    signature: bitStringBytes(signature),
  };
  const subjectName = distinguishedName(subject);
  const names = requestedExtensions(attributes).get(ALTERNATIVE_NAMES);
  return {
    subject: subjectName,
    signed,
    ...(names === undefined ? NO_NAMES : alternativeNames(names)),
  };
}

function requestedExtensions(attributes: DerValue | undefined): ReadonlyMap<string, Uint8Array> {
  const extensions = new Map<string, Uint8Array>();
  for (const attribute of attributes === undefined ? [] : derValues(attributes.content)) {
    const request = firstValue(attribute);
    if (request === undefined) continue;
    for (const extension of derParts(request, DER_SEQUENCE)) {
      const [id, ...rest] = derParts(extension, DER_SEQUENCE, 3);
      const oid = objectIdentifier(id);
      if (extensions.has(oid)) {
        throw new InvalidDer("x509: certificate request contains duplicate requested extensions");
      }
      extensions.set(oid, derContent(rest[0]?.tag === DER_BOOLEAN ? rest[1] : rest[0], DER_OCTET_STRING));
    }
  }
  return extensions;
}

/** For a request for extensions. Unreadable attributes are ignored. */
function firstValue(attribute: DerValue): DerValue | undefined {
  try {
    const [id, values] = derParts(attribute, DER_SEQUENCE, 2);
    return objectIdentifier(id) === EXTENSION_REQUEST ? derParts(values, DER_SET)[0] : undefined;
  } catch (error) {
    if (error instanceof InvalidDer) return undefined;
    throw error;
  }
}
