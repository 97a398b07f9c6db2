// The strategic merge patch that turns one state of a built-in object into another. Upstream's controllers send it
// where they change few fields of an object that other clients change too.
// Upstream: apimachinery/pkg/util/strategicpatch, CreateTwoWayMergePatch

import { parseExactJson } from "#api/json.ts";
import { apiVersionOf, type KubeObject } from "#api/object.ts";
import type { JsonObject } from "#api/patch/json-value.ts";
import { createTwoWayMergePatch } from "#api/patch/strategic-diff.ts";
import type { Resource } from "#api/resource.ts";
import { schemaOf } from "#api/schema-table.ts";
import { assert } from "#base/assert.ts";
import { stringifyJson } from "#base/json.ts";

/** Only built-in kinds have a merge schema; another kind is a programming error. Undefined: no change. */
export function strategicPatch<T extends KubeObject>(
  original: NoInfer<T>,
  modified: NoInfer<T>,
  resource: Resource<T>,
): object | undefined {
  const schema = schemaOf(resource);
  assert(schema !== undefined, `no schema of ${apiVersionOf(resource)} ${resource.kind}`);
  const patch = createTwoWayMergePatch(wireForm(original), wireForm(modified), schema);
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Removes undefined fields, which caches leave behind. */
function wireForm(object: KubeObject): JsonObject {
  return parseExactJson(stringifyJson(object)) as JsonObject;
}
