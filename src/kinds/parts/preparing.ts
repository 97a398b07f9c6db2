// Building blocks of strategies: separate writes of status and spec, and a generation that counts changes.

import { semanticEqual } from "#api/equality.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import type { Schema } from "#api/schema.ts";
import type { UpdateStrategy } from "#kinds/strategy.ts";

/** A copy with one field replaced, or removed if the value is undefined. The same object if nothing changes. */
export function put<T extends object, K extends keyof T>(object: T, key: K, value: T[K] | undefined): T {
  if (object[key] === value && (value !== undefined || !Object.hasOwn(object, key))) return object;
  const copy = { ...object };
  if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}

export function putMeta<T extends KubeObject>(object: T, changes: Partial<ObjectMeta>): T {
  return { ...object, metadata: { ...object.metadata, ...changes } };
}

export const firstGeneration = <T extends KubeObject>(object: T): T => putMeta(object, { generation: 1 });

/** Increases the generation if the part differs from the old one. */
export function countChange<T extends KubeObject>(object: T, old: T, part: keyof T, schema?: Schema): T {
  if (semanticEqual(object[part], old[part], schema)) return object;
  return putMeta(object, { generation: (old.metadata?.generation ?? 0) + 1 });
}

/** Upstream: metav1.ResetObjectMetaForStatus: a subresource may change labels and annotations no more than the rest. */
export function resetMetaForStatus(meta: ObjectMeta = {}, old: ObjectMeta = {}): ObjectMeta {
  let out = meta;
  for (const part of FIXED_FOR_STATUS) out = put(out, part, old[part]);
  return out;
}

const FIXED_FOR_STATUS = [
  "deletionTimestamp",
  "generation",
  "selfLink",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
] as const satisfies readonly (keyof ObjectMeta)[];

/** The usual status subresource: the spec keeps its old value, labels and annotations may change. */
export function statusStrategy<T extends KubeObject & { readonly spec?: unknown }>(
  validateUpdate: UpdateStrategy<T>["validateUpdate"],
): UpdateStrategy<T> {
  return { prepareForUpdate: (object, old) => put(object, "spec", old.spec), validateUpdate, resetFields: [["spec"]] };
}
