// The kinds that fuzzed requests are about, and for each the pieces that its objects are made of: right
// ones, changes that are allowed later, and wrong ones.

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
  /** Of the resource; unique among the places. */
  readonly label: string;
  /** Absolute path with "$ns". */
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Before each name. */
  readonly prefix?: string;
  /** Behind each name. */
  readonly suffix?: string;
  /** The server does not take just any name, and so none that it would make up itself. */
  readonly hasRuledNames?: boolean;
  /** What has no name gets one, by chance, and lists have its order. */
  readonly isNamedByServer?: boolean;
  /** Of a kind whose objects the server itself writes to: it is done with this one. The next request waits for that. */
  isSettled?(object: unknown): boolean;
  /** The smallest object without its metadata; "$name" is its name without prefix and suffix. */
  readonly minimal: object;
  /** For new objects. */
  readonly options: readonly Edits[];
  /** Allowed later. */
  readonly changes: readonly Edits[];
  /** Refused, at least later. */
  readonly wrong: readonly Edits[];
  /** Of a kind with a status. */
  readonly status?: readonly Edits[];
  readonly wrongStatus?: readonly Edits[];
  readonly strategic?: readonly object[];
  readonly subresources?: readonly Subresource[];
  readonly fieldSelectors?: readonly string[];
  /** It can only be updated from a version that the client knows. */
  readonly needsVersion?: boolean;
  readonly isCustom?: boolean;
}

export type Subresource =
  | { readonly name: string; readonly posts: readonly object[] }
  /** Read, and written by all verbs. */
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

/** A sensible object: what requests find there. */
export function furniture(place: Place, name: string): object {
  return {
    apiVersion: place.apiVersion,
    kind: place.kind,
    metadata: { name: nameAt(place, name), labels: { app: "x" }, annotations: { note: "0" } },
    ...contentAt(place, name),
  };
}
