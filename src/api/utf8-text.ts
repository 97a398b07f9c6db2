// Decodes strings from a larger array of bytes. ASCII, the usual case, needs no decoder and no view of the bytes.

type Latin1Slice = (this: Uint8Array, start: number, end: number) => string;

/** Available in Bun and Node. */
const { Buffer: buffer } = globalThis as { readonly Buffer?: { readonly prototype: { latin1Slice: Latin1Slice } } };
const latin1Slice = buffer?.prototype.latin1Slice;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** For bytes that are known to be ASCII. */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  return latin1Slice === undefined ? utf8Text(bytes, start, end) : latin1Slice.call(bytes, start, end);
}

/** Throws a TypeError when the bytes are not UTF-8. */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  return utf8.decode(bytes.subarray(start, end));
}
