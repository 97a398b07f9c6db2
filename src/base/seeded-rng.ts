// Named random streams from one seed: sfc32 generators keyed by a 128-bit hash of the path of labels. A fork depends on
// its label and its parent's key, never on earlier draws.
import type { Rng } from "./rng.ts";
import { rngFrom } from "./rng-draws.ts";

type Key = readonly [number, number, number, number];

export function seededRng(seed: string | number): Rng {
  return stream(hashKey([0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x1f83d9ab], String(seed)));
}

function stream(key: Key): Rng {
  return rngFrom(sfc32(key), (label) => stream(hashKey(key, label)));
}

/** Four murmur-like lanes over the UTF-16 units, mixed into one another at the end. */
function hashKey([k1, k2, k3, k4]: Key, text: string): Key {
  let [a, b, c, d] = [k1, k2, k3, k4];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = b ^ Math.imul(a ^ unit, 597399067);
    b = c ^ Math.imul(b ^ unit, 2869860233);
    c = d ^ Math.imul(c ^ unit, 951274213);
    d = a ^ Math.imul(d ^ unit, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18) ^ text.length, 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  const all = a ^ b ^ c ^ d;
  return [all >>> 0, (b ^ all) >>> 0, (c ^ all) >>> 0, (d ^ all) >>> 0];
}

function sfc32(key: Key): () => number {
  let [a, b, c, counter] = key;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // Neighbouring keys diverge only after some rounds.
  for (let round = 0; round < 15; round++) next();
  return next;
}
