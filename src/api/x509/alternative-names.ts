// The names in a SubjectAltName extension. Pure.
// Upstream: Go's crypto/x509/parser.go, parseSANExtension

import type { AlternativeNames } from "#base/certificates.ts";
import { DER_SEQUENCE, type DerValue, derValues, InvalidDer } from "./der.ts";
import { latin1 } from "./directory-string.ts";
import { canonicalUri } from "./uri.ts";

export const NO_NAMES: AlternativeNames = { dnsNames: [], emailAddresses: [], ipAddresses: [], uris: [] };

const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const IP = 0x87;

/** Other kinds of names are ignored. Throws with Go's messages. */
export function alternativeNames(extension: Uint8Array): AlternativeNames {
  const dnsNames: string[] = [];
  const emailAddresses: string[] = [];
  const ipAddresses: Uint8Array[] = [];
  const uris: string[] = [];
  for (const { tag, content } of namesIn(extension)) {
    if (tag === EMAIL) emailAddresses.push(ascii(content, "rfc822Name"));
    if (tag === DNS) dnsNames.push(ascii(content, "dNSName"));
    if (tag === URI) uris.push(canonicalUri(ascii(content, "uniformResourceIdentifier")));
    if (tag === IP) {
      if (content.length !== 4 && content.length !== 16) {
        throw new InvalidDer(`x509: cannot parse IP address of length ${content.length}`);
      }
      ipAddresses.push(content);
    }
  }
  return { dnsNames, emailAddresses, ipAddresses, uris };
}

function namesIn(extension: Uint8Array): readonly DerValue[] {
  try {
    const [sequence] = derValues(extension);
    if (sequence?.tag !== DER_SEQUENCE) throw new InvalidDer("x509: invalid subject alternative names");
    return derValues(sequence.content);
  } catch (cause) {
    if (!(cause instanceof InvalidDer)) throw cause;
    throw new InvalidDer("x509: invalid subject alternative names", { cause });
  }
}

function ascii(content: Uint8Array, type: string): string {
  if (content.some((byte) => byte > 0x7f)) throw new InvalidDer(`x509: SAN ${type} is malformed`);
  return latin1(content);
}
