// Reads DER, the encoding of certificates, as far as certificates and certificate requests use it. Pure.
// Upstream: Go's encoding/asn1, whose errors these are.

export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With tag and length. */
  readonly raw: Uint8Array;
}

export const DER_BOOLEAN = 0x01;
export const DER_INTEGER = 0x02;
export const DER_BIT_STRING = 0x03;
export const DER_OCTET_STRING = 0x04;
export const DER_NULL = 0x05;
export const DER_OBJECT_IDENTIFIER = 0x06;
export const DER_SEQUENCE = 0x30;
export const DER_SET = 0x31;
const CONTINUED = 0x80;

export class InvalidDer extends Error {
  override readonly name = "InvalidDer";
}

/**
 * The consecutive values in these bytes: the parts of a sequence, given its content. Values after the first `countMax`
 * are ignored: as in Go, later versions may have more.
 */
export function derValues(bytes: Uint8Array, countMax: number = Number.POSITIVE_INFINITY): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length && values.length < countMax; ) {
    const { start, end } = extentAt(bytes, at);
    values.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, end), raw: bytes.subarray(at, end) });
    at = end;
  }
  return values;
}

/** The single value in these bytes. */
export function derValue(bytes: Uint8Array): DerValue {
  if (bytes.length === 0) throw new InvalidDer("asn1: syntax error: sequence truncated");
  const { start, end } = extentAt(bytes, 0);
  if (end < bytes.length) throw new InvalidDer("asn1: syntax error: trailing data");
  return { tag: bytes[0] ?? 0, content: bytes.subarray(start, end), raw: bytes };
}

/** The parts of a value that must have this tag. */
export function derParts(value: DerValue | undefined, tag: number, countMax?: number): readonly DerValue[] {
  return derValues(derContent(value, tag), countMax);
}

export function derContent(value: DerValue | undefined, tag: number): Uint8Array {
  if (value === undefined) throw new InvalidDer("asn1: syntax error: sequence truncated");
  if (value.tag !== tag) throw new InvalidDer(`asn1: structure error: tags don't match (${tag} vs ${value.tag})`);
  return value.content;
}

/** "2.5.4.3". */
export function objectIdentifier(value: DerValue | undefined): string {
  const numbers: bigint[] = [];
  let number = 0n;
  const content = derContent(value, DER_OBJECT_IDENTIFIER);
  if (content.length === 0) throw new InvalidDer("asn1: syntax error: zero length OBJECT IDENTIFIER");
  for (const byte of content) {
    if (number === 0n && byte === CONTINUED) {
      throw new InvalidDer("asn1: syntax error: integer is not minimally encoded");
    }
    number = (number << 7n) | BigInt(byte & 0x7f);
    if ((byte & CONTINUED) !== 0) continue;
    numbers.push(number);
    number = 0n;
  }
  if (((content.at(-1) ?? 0) & CONTINUED) !== 0) {
    throw new InvalidDer("asn1: syntax error: truncated base 128 integer");
  }
  const [first = 0n, ...rest] = numbers;
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - 40n * root, ...rest].join(".");
}

export function derInteger(value: DerValue | undefined): bigint {
  const content = derContent(value, DER_INTEGER);
  if (content.length === 0) throw new InvalidDer("asn1: structure error: empty integer");
  let unsigned = 0n;
  for (const byte of content) unsigned = (unsigned << 8n) | BigInt(byte);
  return BigInt.asIntN(content.length * 8, unsigned);
}

/** The bytes of a bit string that is a whole number of bytes, as keys and signatures are. */
export function bitStringBytes(value: DerValue | undefined): Uint8Array {
  const [unused = 0, ...bytes] = derContent(value, DER_BIT_STRING);
  if (unused > 7 || (bytes.length === 0 && unused > 0)) {
    throw new InvalidDer("asn1: syntax error: invalid padding bits in BIT STRING");
  }
  if (unused === 0) return new Uint8Array(bytes);
  // Go aligns such bits to the right.
  return new Uint8Array(bytes.map((byte, at) => ((byte >> unused) | ((bytes[at - 1] ?? 0) << (8 - unused))) & 0xff));
}

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);

function extentAt(bytes: Uint8Array, at: number): { start: number; end: number } {
  if (((bytes[at] ?? 0) & 0x1f) === 0x1f) throw new InvalidDer("asn1: structure error: unexpected high tag number");
  const first = bytes[at + 1];
  if (first === undefined) throw new InvalidDer("asn1: syntax error: truncated tag or length");
  let [start, length] = [at + 2, first];
  if ((first & CONTINUED) !== 0) {
    const lengthBytes = first & 0x7f;
    if (lengthBytes === 0) throw new InvalidDer("asn1: syntax error: indefinite length found (not DER)");
    if (lengthBytes > 4) throw new InvalidDer("asn1: structure error: length too large");
    length = 0;
    for (let i = 0; i < lengthBytes; i++) {
      const byte = bytes[start++];
      if (byte === undefined) throw new InvalidDer("asn1: syntax error: truncated tag or length");
      length = length * 256 + byte;
      if (length === 0) throw new InvalidDer("asn1: structure error: superfluous leading zeros in length");
    }
    if (length < CONTINUED) throw new InvalidDer("asn1: structure error: non-minimal length");
  }
  const end = start + length;
  if (end > bytes.length) throw new InvalidDer("asn1: syntax error: data truncated");
  return { start, end };
}
