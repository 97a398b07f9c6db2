// Rounds of short watches: several are open at once, from different versions and with different selectors, during
// writes.

import type { Rng } from "#base/rng.ts";
import { type FuzzedCall, nextWrite } from "./fuzz-calls.ts";
import { nameAt, names, type Place, places } from "./fuzz-kinds.ts";
import { chance, pick } from "./fuzz-random.ts";
import { accept, reading } from "./fuzz-reads.ts";

export interface Round {
  readonly watches: readonly FuzzedCall[];
  readonly writes: readonly FuzzedCall[];
}

/** Too short for periodic bookmarks. */
const WATCH_SECONDS = 3;
/** Watches show all writes that end within this time. */
export const WRITE_MS_MAX = 1_500;
const WATCHES = 12;
const WRITES = 6;

/** The number of the real server's writes to a deleted definition is chance. */
const watched = places.filter(({ isSettled }) => isSettled === undefined);

export function nextRound(rng: Rng, index: number): Round {
  // Few kinds, so that the watches have events.
  const chosen = Array.from({ length: 3 }, () => pick(rng, watched));
  return {
    watches: Array.from({ length: WATCHES }, () => watch(rng, pick(rng, chosen))),
    writes: Array.from({ length: WRITES }, (_, offset) => nextWrite(rng, pick(rng, chosen), index + offset)),
  };
}

function watch(rng: Rng, place: Place): FuzzedCall {
  const own = `$rv:${place.label}.${nameAt(place, pick(rng, names))}`;
  const { collection, selectors } = reading(rng, place);
  const query = [
    "watch=1",
    ...selectors,
    ...starts(rng, own),
    ...(chance(rng, 3) ? ["limit=1"] : []),
    `timeoutSeconds=${chance(rng, 97) ? WATCH_SECONDS : pick(rng, ["x", "1.5"])}`,
  ];
  const isOfOne = chance(rng, 10);
  const path = isOfOne ? `${place.collection}/${nameAt(place, pick(rng, names))}` : collection;
  return { verb: "watch", place, method: "GET", target: `${path}?${query.join("&")}`, ...accept(rng, false) };
}

const initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

function starts(rng: Rng, own: string): readonly string[] {
  const right = [
    [],
    ["resourceVersion=0"],
    ["resourceVersion=$last:"],
    [`resourceVersion=${own}`],
    [`resourceVersion=${own}`, "allowWatchBookmarks=true"],
    ["allowWatchBookmarks=true"],
    [initial, "allowWatchBookmarks=true"],
    [initial, "allowWatchBookmarks=true", "resourceVersion=0"],
    [initial, "allowWatchBookmarks=true", `resourceVersion=${own}`],
    [initial],
    ["sendInitialEvents=false", "resourceVersionMatch=NotOlderThan", `resourceVersion=${own}`],
  ];
  const odd = [
    ["resourceVersion=1"], // too old
    ["resourceVersion=abc"],
    ["sendInitialEvents=true"],
    ["resourceVersionMatch=Exact", "resourceVersion=$last:"],
    ["sendInitialEvents=nonsense"],
    ["continue=x"],
  ];
  return pick(rng, chance(rng, 85) ? right : odd);
}
