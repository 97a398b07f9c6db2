// Removes fields that a structural schema does not specify. Unchanged parts are shared with the input.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning

import { isArray, isObject, type JsonObject, setOwn } from "#api/patch/json-value.ts";
import {
  asEmbedded,
  isEmbedded,
  itemsOf,
  type JSONSchemaProps,
  preservesUnknown,
  propertyOf,
  valuesOf,
} from "#cel/json-schema.ts";

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** `unknown` collects the paths of removed fields, in no particular order. */
export function prune(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  isResourceRoot: boolean,
  unknown?: string[],
): unknown {
  return pruned(value, isResourceRoot ? asEmbedded(schema) : schema, "", unknown);
}

function pruned(value: unknown, schema: JSONSchemaProps | undefined, path: string, unknown?: string[]): unknown {
  if (preservesUnknown(schema)) return kept(value, schema as JSONSchemaProps, path, unknown);
  if (isArray(value)) return mapItems(value, (item, i) => pruned(item, itemsOf(schema), `${path}[${i}]`, unknown));
  if (!isObject(value)) return value;
  return mapFields(value, (field, key) => {
    if (schema === undefined) {
      unknown?.push(join(path, key));
      return undefined;
    }
    if (isEmbedded(schema) && META_FIELDS.has(key)) return field;
    const property = propertyOf(schema, key);
    if (property !== undefined) return pruned(field, property, join(path, key), unknown);
    if (hasMap(schema)) return pruned(field, valuesOf(schema), join(path, key), unknown);
    if (!META_FIELDS.has(key) || path !== "") unknown?.push(join(path, key));
    return undefined;
  });
}

/** Keeps unknown fields at this level. Known fields are still pruned below. */
function kept(value: unknown, schema: JSONSchemaProps | undefined, path: string, unknown?: string[]): unknown {
  if (schema === undefined) return value;
  if (isArray(value)) return mapItems(value, (item, i) => kept(item, itemsOf(schema), `${path}[${i}]`, unknown));
  if (!isObject(value)) return value;
  return mapFields(value, (field, key) => {
    if (isEmbedded(schema) && META_FIELDS.has(key)) return field;
    const property = propertyOf(schema, key);
    if (property !== undefined) return pruned(field, property, join(path, key), unknown);
    return hasMap(schema) ? pruned(field, valuesOf(schema), join(path, key), unknown) : field;
  });
}

const hasMap = (schema: JSONSchemaProps): boolean => schema.additionalProperties !== undefined;

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/** The list with each item mapped; the same list when no item changed. */
export function mapItems(list: readonly unknown[], map: (item: unknown, index: number) => unknown): readonly unknown[] {
  let output: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = map(list[i], i);
    if (item === list[i] && output === undefined) continue;
    output ??= list.slice(0, i);
    output.push(item);
  }
  return output ?? list;
}

/** The object with each field mapped, or left out for undefined; the same object when no field changed. */
export function mapFields(object: JsonObject, map: (value: unknown, key: string) => unknown): JsonObject {
  let output: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    const value = map(object[key], key);
    if (value === object[key]) continue;
    output ??= { ...object };
    if (value === undefined) delete output[key];
    else setOwn(output, key, value);
  }
  return output ?? object;
}
