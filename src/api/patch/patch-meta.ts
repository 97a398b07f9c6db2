// How strategic merge handles a field: from its schema node, with the errors of upstream's lookup by Go struct.
// Upstream: k8s.io/apimachinery pkg/util/strategicpatch, PatchMetaFromStruct; third_party/forked/golang/json,
// LookupPatchMetadataForStruct.

import { goQuote } from "#api/go-text.ts";
import type { Schema } from "#api/schema.ts";
import { PatchError } from "./patch-errors.ts";

export interface PatchMeta {
  /** Of the object, or of the elements of the list. */
  readonly schema: Schema;
  readonly strategy: "" | "merge" | "replace";
  readonly retainKeys: boolean;
  /** Empty for lists of scalars. */
  readonly mergeKey: string;
}

export function objectMeta(parent: Schema, key: string): PatchMeta {
  return metaOf(fieldOf(parent, key));
}

export function listMeta(parent: Schema, key: string): PatchMeta {
  const field = fieldOf(parent, key);
  if (field.type !== "array") throw new PatchError(`expected slice or array type, but got: ${kindOf(parent)}`);
  const items = field.items ?? {};
  if (items.type === "array") throw new PatchError("unexpected slice of slice");
  return { ...metaOf(field), schema: items };
}

function metaOf(field: Schema): PatchMeta {
  const strategies = field.patchStrategy ?? [];
  return {
    schema: field,
    strategy: strategies.find((strategy) => strategy !== "retainKeys") ?? "",
    retainKeys: strategies.includes("retainKeys"),
    mergeKey: field.patchMergeKey ?? "",
  };
}

/** Like Go's decoder, prefers the exact name and falls back to another case. */
function fieldOf(parent: Schema, key: string): Schema {
  const kind = kindOf(parent);
  if (kind !== "struct") {
    throw new PatchError(`merging an object in json but data type is not struct, instead is: ${kind}`);
  }
  const properties = parent.properties ?? {};
  const exact = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (exact !== undefined) return exact;
  const folded = key.toLowerCase();
  const similar = Object.keys(properties).find((name) => name.toLowerCase() === folded);
  if (similar !== undefined) return properties[similar] as Schema;
  const struct = parent.typeName?.slice(parent.typeName.lastIndexOf(".") + 1) ?? "";
  throw new PatchError(`unable to find api field in struct ${struct} for the json field ${goQuote(key)}`);
}

/** The kind of the Go type behind a node. Definitions without fields are structs with their own JSON form. */
export function kindOf(schema: Schema): string {
  if (schema.properties !== undefined) return "struct";
  if (schema.additionalProperties !== undefined) return "map";
  if (schema.typeName !== undefined) return "struct";
  switch (schema.type) {
    case "array":
      return "slice";
    case "boolean":
      return "bool";
    case "integer":
      return schema.format ?? "int64";
    case "number":
      return "float64";
    case "string":
      return "string";
    default:
      return "interface";
  }
}
