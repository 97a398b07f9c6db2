// Reads DER, the encoding of certificates: as much of it as certificates use. Pure.

export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
}

export const DER_SEQUENCE = 0x30;
export const DER_SET = 0x31;
export const DER_INTEGER = 0x02;
export const DER_OBJECT_IDENTIFIER = 0x06;
const CONTINUED = 0x80;

export class InvalidDer extends Error {
  override readonly name = "InvalidDer";
}

/** The values that follow one another in these bytes: the parts of a sequence, when given its content. */
export function derValues(bytes: Uint8Array): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { start, end } = extentAt(bytes, at);
    values.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, end) });
    at = end;
  }
  return values;
}

/** The parts of a value that must have this tag. */
export function derParts(value: DerValue | undefined, tag: number): readonly DerValue[] {
  return derValues(derContent(value, tag));
}

export function derContent(value: DerValue | undefined, tag: number): Uint8Array {
  if (value?.tag !== tag) throw new InvalidDer(`expected tag ${tag}, found ${value?.tag ?? "nothing"}`);
  return value.content;
}

/** "2.5.4.3". */
export function objectIdentifier(value: DerValue | undefined): string {
  const numbers: bigint[] = [];
  let number = 0n;
  for (const byte of derContent(value, DER_OBJECT_IDENTIFIER)) {
    number = (number << 7n) | BigInt(byte & 0x7f);
    if ((byte & CONTINUED) !== 0) continue;
    numbers.push(number);
    number = 0n;
  }
  const [first = 0n, ...rest] = numbers;
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - 40n * root, ...rest].join(".");
}

function extentAt(bytes: Uint8Array, at: number): { start: number; end: number } {
  if (((bytes[at] ?? 0) & 0x1f) === 0x1f) throw new InvalidDer("tags of several bytes do not occur in certificates");
  const first = bytes[at + 1];
  if (first === undefined) throw new InvalidDer("truncated");
  let [start, length] = [at + 2, first];
  if ((first & CONTINUED) !== 0) {
    const lengthBytes = first & 0x7f;
    if (lengthBytes === 0 || lengthBytes > 4) throw new InvalidDer("unusable length");
    length = 0;
    for (let i = 0; i < lengthBytes; i++) length = length * 256 + (bytes[start++] ?? 0);
  }
  const end = start + length;
  if (end > bytes.length) throw new InvalidDer("truncated");
  return { start, end };
}
