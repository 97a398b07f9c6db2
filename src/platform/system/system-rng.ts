// Real randomness: every draw comes from the operating system, through a small pool.
import { randomFillSync } from "node:crypto";
import type { Rng } from "#base/rng.ts";
import { rngFrom } from "#base/rng-draws.ts";

export function systemRng(): Rng {
  const pool = new Uint32Array(1024);
  let next = pool.length;
  const uint32 = (): number => {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    const drawn = pool[next] as number;
    pool[next++] = 0;
    return drawn;
  };
  // All streams are one: nothing here is replayed, so they need no separate seeds.
  const rng: Rng = rngFrom(uint32, () => rng);
  return rng;
}
