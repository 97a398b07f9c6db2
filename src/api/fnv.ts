// The FNV hashes that upstream uses. The 128-bit hash uses four limbs of 32 bits, lowest first: its prime is 2^88 +
// 0x13b, so a product is a small one and a shift.
// Upstream: Go's hash/fnv

const utf8 = new TextEncoder();

const OFFSET_32 = 0x811c9dc5;
const PRIME_32 = 0x01000193;
const OFFSET_128: readonly number[] = [0x6295c58d, 0x62b82175, 0x07bb0142, 0x6c62272e];
const PRIME_128_LOW = 0x13b;

export function fnv32(bytes: Uint8Array): number {
  let hash = OFFSET_32;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash, PRIME_32) ^ (bytes[at] as number);
  return hash >>> 0;
}

export function fnv32a(bytes: Uint8Array): number {
  let hash = OFFSET_32;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] as number), PRIME_32);
  return hash >>> 0;
}

/** In hexadecimal, as its sum is printed everywhere. */
export function fnv128a(bytes: Uint8Array): string {
  let [a = 0, b = 0, c = 0, d = 0] = OFFSET_128;
  for (let at = 0; at < bytes.length; at++) {
    a = (a ^ (bytes[at] as number)) >>> 0;
    // Each product has at most 41 bits and each sum fewer than 53: doubles hold them exactly.
    const low = a * PRIME_128_LOW;
    const second = b * PRIME_128_LOW + Math.floor(low / 2 ** 32);
    const third = c * PRIME_128_LOW + Math.floor(second / 2 ** 32) + ((a << 24) >>> 0);
    const fourth = d * PRIME_128_LOW + Math.floor(third / 2 ** 32) + (a >>> 8) + ((b << 24) >>> 0);
    a = low >>> 0;
    b = second >>> 0;
    c = third >>> 0;
    d = fourth >>> 0;
  }
  return [d, c, b, a].map((limb) => limb.toString(16).padStart(8, "0")).join("");
}

export function utf8Bytes(text: string): Uint8Array {
  return utf8.encode(text);
}
