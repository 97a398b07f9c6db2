// SHA-256 of a text, in hexadecimal. Names of objects contain it, so deterministic code, which cannot use host
// functions, computes it. Upstream: Go's crypto/sha256; FIPS 180-4.

import { utf8Bytes } from "./fnv.ts";

const BLOCK_BYTES = 64;

/** The first 32 bits of the fractional parts of a root of the first primes. */
function primeRoots(count: number, root: (prime: number) => number): Uint32Array {
  const words = new Uint32Array(count);
  for (let candidate = 2, found = 0; found < count; candidate++) {
    let isPrime = true;
    for (let factor = 2; factor * factor <= candidate; factor++) if (candidate % factor === 0) isPrime = false;
    if (isPrime) words[found++] = (root(candidate) % 1) * 2 ** 32;
  }
  return words;
}

const INITIAL = primeRoots(8, Math.sqrt);
const ROUND = primeRoots(64, Math.cbrt);

export function sha256Hex(text: string): string {
  const bytes = padded(utf8Bytes(text));
  const view = new DataView(bytes.buffer);
  const state = INITIAL.slice();
  const schedule = new Uint32Array(64);
  for (let block = 0; block < bytes.length; block += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) schedule[i] = view.getUint32(block + i * 4);
    for (let i = 16; i < 64; i++) schedule[i] = extended(schedule, i);
    mixIn(state, schedule);
  }
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** A single 1 bit, zeros, and the length in bits fill up the last block. */
function padded(bytes: Uint8Array): Uint8Array {
  const blocks = Math.floor((bytes.length + 8) / BLOCK_BYTES) + 1;
  const out = new Uint8Array(blocks * BLOCK_BYTES);
  out.set(bytes);
  out[bytes.length] = 0x80;
  const view = new DataView(out.buffer);
  view.setUint32(out.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(out.length - 4, bytes.length << 3);
  return out;
}

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
const at = (words: Uint32Array, index: number): number => words[index] as number;

function extended(schedule: Uint32Array, i: number): number {
  const a = at(schedule, i - 15);
  const b = at(schedule, i - 2);
  const low = rotated(a, 7) ^ rotated(a, 18) ^ (a >>> 3);
  const high = rotated(b, 17) ^ rotated(b, 19) ^ (b >>> 10);
  return at(schedule, i - 16) + low + at(schedule, i - 7) + high;
}

function mixIn(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + at(ROUND, i) + at(schedule, i);
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = at(state, i) + word;
}
