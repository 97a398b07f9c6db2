// The parameters of fuzzed reads: representations, selectors, and one namespace or all.

import type { Rng } from "#base/rng.ts";
import { nameAt, names, type Place } from "./fuzz-kinds.ts";
import { chance, pick } from "./fuzz-random.ts";

const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";
const METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

export function accept(rng: Rng, isList: boolean): { headers?: Record<string, string> } {
  if (chance(rng, 55)) return {};
  const partial = isList ? METADATA_LIST : METADATA;
  return {
    headers: {
      accept: pick(rng, [
        "application/json",
        "*/*",
        TABLE,
        TABLE,
        `${TABLE},application/json`,
        partial,
        partial,
        `${partial},application/json`,
        "application/yaml;q=0.1,application/json",
        "application/yaml",
        "application/json;as=Table;g=meta.k8s.io;v=v9, application/json",
        "application/json;as=Table;g=meta.k8s.io;v=v1beta1",
        ...(chance(rng, 30) ? ["text/nonsense"] : []),
      ]),
    },
  };
}

const labelSelectors = ["app=x", "app!=x", "app in (x,y)", "tier", "!tier", "app=x,tier!=y", "app notin (z),tier"];
const badSelectors = ["app in (", "a b", "x=y=z", "app in ()", "bad key!=x", "a=b!"];
const fieldSelectors = ["metadata.name=a", "metadata.name!=b", "metadata.name=a,metadata.name!=b"];
const badFieldSelectors = ["nonsense=1", "metadata.name", "metadata.uid=1"];

/** Selectors as query parameters. They exclude the other objects of a cluster-scoped kind. */
function selectors(rng: Rng, place: Place, isWide: boolean): readonly string[] {
  const parts: string[] = [];
  if (chance(rng, 40)) {
    const selector = pick(rng, chance(rng, 92) ? labelSelectors : badSelectors);
    parts.push(`labelSelector=${encodeURIComponent(selector)}`);
  }
  const fields: string[] = [];
  if (!place.collection.includes("$ns")) fields.push(`metadata.name=${nameAt(place, pick(rng, names))}`);
  if (isWide) fields.push(`metadata.namespace=${namespaceOf(place)}`);
  if (chance(rng, 25)) {
    const own = place.fieldSelectors ?? [];
    fields.push(pick(rng, chance(rng, 88) ? [...own, ...own, ...fieldSelectors] : badFieldSelectors));
  }
  // Keeps the dollar of a placeholder.
  if (fields.length > 0) parts.push(`fieldSelector=${encodeURIComponent(fields.join(",")).replaceAll("%24", "$")}`);
  return parts;
}

const IN_NAMESPACE = /\/namespaces\/([^/]+)(?=\/)/;
const namespaceOf = ({ collection }: Place): string => IN_NAMESPACE.exec(collection)?.[1] ?? "";

export interface Reading {
  readonly collection: string;
  /** Query parameters. */
  readonly selectors: readonly string[];
}

/** A read of a collection; sometimes of all namespaces, with a selector for one. */
export function reading(rng: Rng, place: Place): Reading {
  const isWide = namespaceOf(place) !== "" && chance(rng, 10);
  const collection = isWide ? place.collection.replace(IN_NAMESPACE, "") : place.collection;
  return { collection, selectors: selectors(rng, place, isWide) };
}
