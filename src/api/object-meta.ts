// Changes an object's metadata; each function returns a new object that shares the rest.

import type { ObjectMeta } from "./meta.ts";
import type { KubeObject } from "./object.ts";

/** Sets fields of the metadata; undefined removes one. */
export function withMeta<T extends KubeObject>(
  object: T,
  changes: { [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined },
): T {
  const metadata: Record<string, unknown> = { ...object.metadata, ...changes };
  for (const key in changes) if (metadata[key] === undefined) delete metadata[key];
  return { ...object, metadata };
}

export function withResourceVersion<T extends KubeObject>(object: T, revision: number): T {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
