// The read side of an informer's cache: objects by key and by index. What it returns is shared with
// every other reader and must never be changed.

import type { KubeObject, ObjectKey } from "#api/object.ts";

/** The values under which an object is found in one index. */
export type IndexFunction<T> = (object: T) => readonly string[];
export type Indexers<T> = Readonly<Record<string, IndexFunction<T>>>;

/** The index every informer of a namespaced resource has. */
export const NAMESPACE_INDEX = "namespace";

export interface Store<T extends KubeObject = KubeObject> {
  readonly size: number;
  get(key: ObjectKey): T | undefined;
  has(key: ObjectKey): boolean;
  keys(): Iterable<ObjectKey>;
  /** In the order in which keys entered the store. */
  values(): Iterable<T>;
  byIndex(indexName: string, value: string): readonly T[];
  keysByIndex(indexName: string, value: string): readonly ObjectKey[];
  indexValues(indexName: string): readonly string[];
}
