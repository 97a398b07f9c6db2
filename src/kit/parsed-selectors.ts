// The selectors of cached objects, each parsed once. Objects are immutable, so a parsed selector stays valid as long as
// its object lives.

import { ValueError } from "#api/errors.ts";
import type { Selector } from "#api/label-selector.ts";

/** read: throws ValueError when the object's selector is invalid. */
export function parsedSelectors<T extends object>(read: (object: T) => Selector): (object: T) => Selector | ValueError {
  const parsed = new WeakMap<T, Selector | ValueError>();
  return (object) => {
    const known = parsed.get(object);
    if (known !== undefined) return known;
    const selector = parse(() => read(object));
    parsed.set(object, selector);
    return selector;
  };
}

function parse(read: () => Selector): Selector | ValueError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}
