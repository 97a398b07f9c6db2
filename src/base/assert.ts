// Assertions stay on in production: a broken invariant ends the process, and leader election hands over.

import { stringifyJson } from "./json.ts";

export class AssertionFailed extends Error {
  override readonly name = "AssertionFailed";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionFailed(message);
}

/** Closes an exhaustive switch. */
export function unreachable(value: never): never {
  throw new AssertionFailed(`unreachable: ${stringifyJson(value)}`);
}
