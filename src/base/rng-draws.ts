// Every draw of Rng, built on a source of 32-bit numbers.
import { assert } from "./assert.ts";
import type { Rng } from "./rng.ts";

const hexCodes: readonly number[] = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const DASH = 0x2d;

export function rngFrom(uint32: () => number, fork: (label: string) => Rng): Rng {
  const float = (): number => ((uint32() >>> 5) * 0x4000000 + (uint32() >>> 6)) / 0x20000000000000;

  const below = (limit: number): number => {
    assert(Number.isSafeInteger(limit) && limit > 0, `cannot draw below ${limit}`);
    if (limit > 0x100000000) return Math.floor(float() * limit);
    // Numbers past the last whole multiple of limit are drawn again, so that all results are equally likely.
    const bound = 0x100000000 - (0x100000000 % limit);
    for (;;) {
      const drawn = uint32();
      if (drawn < bound) return drawn % limit;
    }
  };

  const bytes = (count: number): Uint8Array => {
    const result = new Uint8Array(count);
    for (let i = 0; i < count; ) {
      for (let word = uint32(), j = 0; j < 4 && i < count; j++, word >>>= 8) result[i++] = word & 0xff;
    }
    return result;
  };

  const uuid = (): string => {
    const b = bytes(16);
    b[6] = ((b[6] as number) & 0x0f) | 0x40;
    b[8] = ((b[8] as number) & 0x3f) | 0x80;
    // Built in one piece: a text joined from parts would keep all parts alive.
    const codes: number[] = [];
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) codes.push(DASH);
      const byte = b[i] as number;
      codes.push(hexCodes[byte >> 4] as number, hexCodes[byte & 15] as number);
    }
    return String.fromCharCode(...codes);
  };

  const shuffle = <T>(items: readonly T[]): T[] => {
    const result = items.slice();
    for (let i = result.length - 1; i > 0; i--) {
      const j = below(i + 1);
      [result[i], result[j]] = [result[j] as T, result[i] as T];
    }
    return result;
  };

  return { fork, uint32, float, below, bytes, uuid, shuffle };
}
