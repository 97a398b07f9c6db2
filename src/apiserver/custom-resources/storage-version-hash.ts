// The hash that identifies a kind's storage version to clients: the first bytes of a SHA-256.
// Upstream: k8s.io/apiserver/pkg/endpoints/discovery/storageversionhash.go

import type { GroupVersionKind } from "#api/object.ts";

export function storageVersionHash({ group, version, kind }: GroupVersionKind): string {
  const digest = sha256(new TextEncoder().encode(`${group}/${version}/${kind}`));
  return btoa(String.fromCharCode(...digest.slice(0, 8)));
}

/** The first bits of the fractional parts of roots of the first primes. */
const [INITIAL, ROUND_CONSTANTS] = ((): [number[], number[]] => {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
  return [primes.slice(0, 8).map((n) => fraction(Math.sqrt(n))), primes.map((n) => fraction(Math.cbrt(n)))];
})();

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function sha256(message: Uint8Array): number[] {
  const length = message.length;
  const padded = new Uint8Array((((length + 8) >> 6) + 1) << 6);
  padded.set(message);
  padded[length] = 0x80;
  for (let i = 0; i < 4; i++) padded[padded.length - 1 - i] = (length * 8) >>> (8 * i);
  const hash = [...INITIAL];
  const words = new Array<number>(64).fill(0);
  const at = (list: readonly number[], i: number): number => list[i] as number;
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        const j = block + i * 4;
        words[i] =
          (at(padded as never, j) << 24) |
          (at(padded as never, j + 1) << 16) |
          (at(padded as never, j + 2) << 8) |
          at(padded as never, j + 3);
        continue;
      }
      const [a, b] = [at(words, i - 15), at(words, i - 2)];
      const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      words[i] = (at(words, i - 16) + s0 + at(words, i - 7) + s1) | 0;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const first = (h + s1 + ((e & f) ^ (~e & g)) + at(ROUND_CONSTANTS, i) + at(words, i)) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      hash[i] = (at(hash, i) + word) | 0;
    });
  }
  return hash.flatMap((word) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255]);
}
