// The three types of patches, parsed once and applied as often as needed.

import { type BeyondInt64, decodeUtf8 } from "#api/json.ts";
import type { KubeObject } from "#api/object.ts";
import { goFormat } from "#api/patch/go-format.ts";
import { applyJsonPatch, decodeJsonPatch, jsonPatchStrictErrors } from "#api/patch/json-patch.ts";
import { isArray, isObject, type JsonObject, jsonKind } from "#api/patch/json-value.ts";
import { applyMergePatch } from "#api/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "#api/patch/strategic-merge.ts";
import { newBadRequest } from "#api/status-error.ts";
import type { DecodingWording } from "#api/typed-decoding.ts";
import { strictErrors } from "../decoding/decode-object.ts";
import { mergedJson, patchedJson, tracesOf } from "../decoding/go-order-json.ts";
import { directValue, parseErrorText, parseJsonText, type RequestBody } from "../decoding/request-body.ts";
import type { KindVersion } from "../registry.ts";
import type { FieldValidation } from "../write-options.ts";

export interface PatchMechanism {
  /** Strict errors of the patch itself. */
  readonly strictErrors: readonly string[];
  /** The patched object in the version of the endpoint, before validation. */
  apply(object: KubeObject): unknown;
  /** The wording of errors about wrong types. */
  readonly wording: DecodingWording;
  /** How a refusal prints the patched object, given the one before. */
  describe(patched: unknown, current: KubeObject): string;
}

export function patchMechanism(
  type: "json" | "merge" | "strategic",
  body: RequestBody,
  validation: FieldValidation,
  version: KindVersion,
): PatchMechanism {
  const isStrict = validation !== "Ignore";
  // A strategic merge works on untyped values; the other two keep the original text of numbers.
  const beyondInt64 = type === "strategic" || version.goType === undefined ? "double" : "bigint";
  const { value, text } = parsePatch(body, beyondInt64, (error) => {
    if (type !== "strategic" && isStrict) return `error decoding patch: ${error}`;
    return type === "merge" ? BAD_PATCH : error;
  });
  const repeated = isStrict && text !== undefined ? strictErrors({ value, text }, []) : [];
  switch (type) {
    case "json": {
      if (isStrict) checkOperations(value);
      const operations = decodeJsonPatch(value);
      const errors = isStrict
        ? [...jsonPatchStrictErrors(operations), ...repeated.map((error) => `json patch ${error}`)]
        : [];
      const traces = tracesOf(operations);
      return {
        strictErrors: errors,
        apply: (object) => applyJsonPatch(object as JsonObject, value),
        wording: "json",
        describe: (patched, current) => patchedJson(patched, current, version.goType, traces),
      };
    }
    case "merge":
      if (isStrict && value !== null && !isObject(value)) throw cannotDecode(value, MAP);
      return {
        strictErrors: repeated,
        apply: (object) => applyMergePatch(object as JsonObject, value),
        wording: "json",
        describe: (patched, current) => mergedJson(patched, current, value, version.goType),
      };
    case "strategic": {
      const schema = version.schema();
      if (schema === undefined) throw newBadRequest("the kind has no schema to merge by");
      return {
        strictErrors: repeated,
        apply: (object) => applyStrategicMergePatch(object as JsonObject, value, schema),
        wording: "unstructured",
        describe: (_patched, current) => goFormat(usedPatch(value, current)),
      };
    }
  }
}

const ELEMENT_ORDER = "$setElementOrder/";

/** A strategic patch after it was applied: without directives, and without nulls for missing fields. */
function usedPatch(patch: unknown, current: unknown): unknown {
  if (!isObject(patch)) return patch;
  const { $patch, $retainKeys, ...rest } = patch;
  if ($patch !== undefined) return rest;
  const ordered = new Set(
    Object.keys(rest).flatMap((key) => (key.startsWith(ELEMENT_ORDER) ? [key, key.slice(ELEMENT_ORDER.length)] : [])),
  );
  const entries = Object.entries(rest).filter(([key]) => !ordered.has(key));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, usedValue(value, isObject(current) ? current[key] : null)]),
  );
}

function usedValue(value: unknown, current: unknown): unknown {
  if (isObject(value) && isObject(current)) return usedPatch(value, current);
  const isSameKind = current !== null && typeof value === typeof current && isArray(value) === isArray(current);
  return isSameKind ? value : withoutNulls(value);
}

function withoutNulls(value: unknown): unknown {
  if (isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

/** For a merge patch that is not JSON. */
const BAD_PATCH = "Invalid JSON Patch";
const MAP = "value of type map[string]interface {}";

/** Upstream: handlers/patch.go, jsonPatchOp */
function checkOperations(value: unknown): void {
  if (value === null) return;
  if (!isArray(value)) throw cannotDecode(value, "value of type []handlers.jsonPatchOp");
  for (const operation of value) {
    if (operation === null) continue;
    if (!isObject(operation)) throw cannotDecode(operation, "value of type handlers.jsonPatchOp");
    for (const [name, given] of Object.entries(operation)) {
      const isText = name === "op" || name === "path" || name === "from";
      if (isText && given !== null && typeof given !== "string")
        throw cannotDecode(given, `struct field jsonPatchOp.${name} of type string`);
    }
  }
}

function cannotDecode(value: unknown, goPlace: string): Error {
  return newBadRequest(`error decoding patch: json: cannot unmarshal ${jsonKind(value)} into Go ${goPlace}`);
}

function parsePatch(
  body: RequestBody,
  beyondInt64: BeyondInt64,
  worded: (error: string) => string,
): { value: unknown; text?: string } {
  if (body.kind === "object") return { value: directValue(body.value, beyondInt64) };
  try {
    const text = decodeUtf8(body.bytes);
    return { value: parseJsonText(text, beyondInt64), text };
  } catch (error) {
    const message = parseErrorText(error);
    if (message === undefined) throw error;
    throw newBadRequest(worded(message));
  }
}
