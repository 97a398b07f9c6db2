// The annotation of client-side apply, kept up to date while kubectl moves to server-side apply.
// Upstream: managedfields/internal/lastappliedmanager.go, lastappliedupdater.go, lastapplied.go

import { byteLength } from "#api/go-text.ts";
import { parseExactJson } from "#api/json.ts";
import { isObject, type JsonObject } from "#api/patch/json-value.ts";
import type { ApplyKind } from "./apply-kind.ts";
import { compare } from "./compare.ts";
import { Conflicts } from "./conflicts.ts";
import { difference, type FieldSet, hasPath } from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import { canonicalJson } from "./path-element.ts";
import { TypedError, validate } from "./typed-value.ts";

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
const annotationBytesMax = 256 * 1024;

function annotationsOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  return isObject(annotations) ? annotations : {};
}

/** The conflicts that remain without kubectl's own applied fields; undefined if there are none. */
export function allowedByLastApplied(kind: ApplyKind, live: JsonObject, conflicts: Conflicts): Conflicts | undefined {
  const allowed = lastAppliedSet(kind, live);
  if (allowed === undefined) return conflicts;
  const rest = conflicts.list.filter(({ path }) => !hasPath(allowed, path));
  return rest.length > 0 ? new Conflicts(rest) : undefined;
}

/** The fields in the annotation that the live object still has; undefined if the annotation is unusable. */
function lastAppliedSet(kind: ApplyKind, live: JsonObject): FieldSet | undefined {
  const text = annotationsOf(live)[lastAppliedAnnotation];
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const applied: unknown = parseExactJson(text);
    if (!isObject(applied) || applied.apiVersion !== kind.apiVersion) return undefined;
    validate(kind.atom, applied, false);
    const { modified, added, removed } = compare(kind.atom, applied, live);
    return difference(difference(difference(fieldSetOf(kind.atom, applied), modified), added), removed);
  } catch (error) {
    if (error instanceof TypedError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Updates an existing annotation to the applied configuration. */
export function withLastApplied(object: JsonObject, patch: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  const present = annotations[lastAppliedAnnotation];
  if (typeof present !== "string" || present === "") return object;
  const next: Record<string, unknown> = {
    ...annotations,
    [lastAppliedAnnotation]: `${canonicalJson(withoutAnnotation(patch))}\n`,
  };
  let bytes = 0;
  for (const [key, value] of Object.entries(next)) bytes += byteLength(key) + byteLength(String(value));
  if (bytes > annotationBytesMax) delete next[lastAppliedAnnotation];
  return { ...object, metadata: { ...(object.metadata as JsonObject), annotations: next } };
}

function withoutAnnotation(patch: JsonObject): JsonObject {
  const annotations = annotationsOf(patch);
  if (!Object.hasOwn(annotations, lastAppliedAnnotation)) return patch;
  const { [lastAppliedAnnotation]: _, ...rest } = annotations;
  return { ...patch, metadata: { ...(patch.metadata as JsonObject), annotations: rest } };
}
