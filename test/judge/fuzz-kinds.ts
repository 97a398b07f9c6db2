// The kinds of fuzzed requests, with the parts of their objects: valid ones, changes that are allowed later, and
// invalid ones.

import { parseExactJson } from "#api/json.ts";
import { stringifyJson } from "#base/json.ts";
import { batchPlaces } from "./fuzz-batch.ts";
import { definitions } from "./fuzz-definitions.ts";
import { devicePlaces } from "./fuzz-devices.ts";
import { plainPlaces } from "./fuzz-kinds-table.ts";
import { networkingPlaces } from "./fuzz-networking.ts";
import { podPlaces } from "./fuzz-pods.ts";
import type { Edits } from "./fuzz-random.ts";
import { placesOfRows } from "./fuzz-rows.ts";
import { servicePlaces } from "./fuzz-services.ts";
import { storagePlaces } from "./fuzz-storage.ts";

export interface Place {
  /** The name of the resource; unique among the places. */
  readonly label: string;
  /** Absolute path with "$ns". */
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Precedes each name. */
  readonly prefix?: string;
  /** Follows each name. */
  readonly suffix?: string;
  /** The server restricts the names, so generateName cannot work. */
  readonly hasRuledNames?: boolean;
  /** The server generates the missing names at random, and lists depend on their order. */
  readonly isNamedByServer?: boolean;
  /**
   * For kinds that the server itself updates: whether it has finished with this object. The next request waits for
   * that.
   */
  isSettled?(object: unknown): boolean;
  /** The smallest object without its metadata; "$name" is its name without prefix and suffix. */
  readonly minimal: object;
  /** Edits for new objects. */
  readonly options: readonly Edits[];
  /** Edits that are allowed later. */
  readonly changes: readonly Edits[];
  /** Edits that are refused, at least later. */
  readonly wrong: readonly Edits[];
  /** Edits of the status, for a kind with one. */
  readonly status?: readonly Edits[];
  readonly wrongStatus?: readonly Edits[];
  readonly strategic?: readonly object[];
  readonly subresources?: readonly Subresource[];
  readonly fieldSelectors?: readonly string[];
  /** Updates require a resourceVersion. */
  readonly needsVersion?: boolean;
  readonly isCustom?: boolean;
}

export type Subresource =
  | { readonly name: string; readonly posts: readonly object[] }
  /** Read, and written with all verbs. */
  | { readonly name: string; readonly edits: readonly Edits[]; readonly strategic?: readonly object[] };

const tabled: readonly Place[] = [
  ...plainPlaces,
  ...podPlaces,
  ...servicePlaces,
  ...storagePlaces,
  ...batchPlaces,
  ...networkingPlaces,
  ...devicePlaces,
  definitions,
];

export const places: readonly Place[] = [...tabled, ...placesOfRows(tabled)];

export const names: readonly string[] = ["a", "b", "c", "d", "e"];

export const nameAt = ({ prefix = "", suffix = "" }: Place, name: string): string => `${prefix}${name}${suffix}`;

export const contentAt = (place: Place, name: string): object =>
  parseExactJson(stringifyJson(place.minimal).replaceAll("$name", name)) as object;

/** A valid object for requests to find. */
export function furniture(place: Place, name: string): object {
  return {
    apiVersion: place.apiVersion,
    kind: place.kind,
    metadata: { name: nameAt(place, name), labels: { app: "x" }, annotations: { note: "0" } },
    ...contentAt(place, name),
  };
}
