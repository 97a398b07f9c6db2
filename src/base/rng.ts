// Randomness as a dependency: named streams forked from one seed, so that one more draw in
// one consumer does not shift the numbers another consumer sees.

export interface Rng {
  /** An independent stream; the same label on the same parent always gives the same stream. */
  fork(label: string): Rng;
  uint32(): number;
  /** Uniform in [0, 1). */
  float(): number;
  /** Uniform integer in [0, limit). */
  below(limit: number): number;
  bytes(count: number): Uint8Array;
  /** A version-4 UUID. */
  uuid(): string;
  /** A new array in random order. */
  shuffle<T>(items: readonly T[]): T[];
}
