// The string types of names in certificates. Pure.
// Upstream: Go's encoding/asn1, parsePrintableString and its neighbours

import { type DerValue, InvalidDer } from "./der.ts";

const UTF8 = 12;
const NUMERIC = 18;
const PRINTABLE = 19;
const T61 = 20;
const IA5 = 22;
const BMP = 30;

/** Undefined: not a string. */
export function directoryString({ tag, content }: DerValue): string | undefined {
  switch (tag) {
    case UTF8:
      return unicode(content, "utf-8", "asn1: invalid UTF-8 string");
    case NUMERIC:
      return checked(latin1(content), /^[0-9 ]*$/, "NumericString");
    case PRINTABLE:
      return checked(latin1(content), /^[a-zA-Z0-9'()+,\-./ :=?*&]*$/, "PrintableString");
    case T61: // in practice Latin 1
      return latin1(content);
    case IA5:
      return checked(latin1(content), /^\p{ASCII}*$/u, "IA5String");
    case BMP: {
      const text = unicode(content, "utf-16be", "invalid BMPString").replace(/\0$/, "");
      if (/[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/.test(text)) throw new InvalidDer("invalid BMPString");
      return text;
    }
    default:
      return undefined;
  }
}

/** Not with the TextDecoder's latin1, which is windows-1252. */
export function latin1(content: Uint8Array): string {
  return Array.from(content, (byte) => String.fromCharCode(byte)).join("");
}

function checked(text: string, form: RegExp, type: string): string {
  if (!form.test(text)) throw new InvalidDer(`asn1: syntax error: ${type} contains invalid character`);
  return text;
}

function unicode(content: Uint8Array, encoding: string, problem: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    throw new InvalidDer(problem, { cause });
  }
}
