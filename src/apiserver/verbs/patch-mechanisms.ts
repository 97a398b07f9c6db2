// The three ways to change an object by a patch, read once and applied as often as needed.

import { decodeUtf8 } from "#api/json.ts";
import type { KubeObject } from "#api/object.ts";
import { goFormat } from "#api/patch/go-format.ts";
import { applyJsonPatch, decodeJsonPatch, jsonPatchStrictErrors } from "#api/patch/json-patch.ts";
import { isArray, isObject, type JsonObject } from "#api/patch/json-value.ts";
import { applyMergePatch } from "#api/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "#api/patch/strategic-merge.ts";
import { newBadRequest } from "#api/status-error.ts";
import { strictErrors } from "../decoding/decode-object.ts";
import { patchedJson } from "../decoding/go-order-json.ts";
import { parseErrorText, parseJsonText, type RequestBody } from "../decoding/request-body.ts";
import type { DecodingWording } from "../decoding/typed-decoding.ts";
import type { KindVersion } from "../registry.ts";
import type { FieldValidation } from "../write-options.ts";

export interface PatchMechanism {
  /** What is doubtful about the patch itself. */
  readonly strictErrors: readonly string[];
  /** The patched object, in the version of the endpoint, not yet checked. */
  apply(object: KubeObject): unknown;
  /** How a value of the wrong type is worded. */
  readonly wording: DecodingWording;
  /** How a refusal shows the object as patched, given the one before. */
  describe(patched: unknown, current: KubeObject): string;
}

export function patchMechanism(
  type: "json" | "merge" | "strategic",
  body: RequestBody,
  validation: FieldValidation,
  version: KindVersion,
): PatchMechanism {
  const isStrict = validation !== "Ignore";
  const { value, text } = parsePatch(body, type !== "strategic" && isStrict ? "error decoding patch: " : "");
  const describe = (patched: unknown, current: KubeObject): string => patchedJson(patched, current, version.goType);
  const repeated = isStrict && text !== undefined ? strictErrors({ value, text }, []) : [];
  switch (type) {
    case "json": {
      if (isStrict && value !== null && !isArray(value)) throw cannotDecode(value, "[]handlers.jsonPatchOp");
      const operations = decodeJsonPatch(value);
      const errors = isStrict
        ? [...jsonPatchStrictErrors(operations), ...repeated.map((error) => `json patch ${error}`)]
        : [];
      return {
        strictErrors: errors,
        apply: (object) => applyJsonPatch(object as JsonObject, value),
        wording: "json",
        describe,
      };
    }
    case "merge":
      if (isStrict && value !== null && !isObject(value)) throw cannotDecode(value, "map[string]interface {}");
      return {
        strictErrors: repeated,
        apply: (object) => applyMergePatch(object as JsonObject, value),
        wording: "json",
        describe,
      };
    case "strategic": {
      const schema = version.schema();
      if (schema === undefined) throw newBadRequest("the kind has no schema to merge by");
      return {
        strictErrors: repeated,
        apply: (object) => applyStrategicMergePatch(object as JsonObject, value, schema),
        wording: "unstructured",
        describe: () => goFormat(value),
      };
    }
  }
}

function cannotDecode(value: unknown, goType: string): Error {
  const kind = isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return newBadRequest(`error decoding patch: json: cannot unmarshal ${kind} into Go value of type ${goType}`);
}

function parsePatch(body: RequestBody, prefix: string): { value: unknown; text?: string } {
  if (body.kind === "object") return { value: body.value };
  try {
    const text = decodeUtf8(body.bytes);
    return { value: parseJsonText(text), text };
  } catch (error) {
    const message = parseErrorText(error);
    if (message === undefined) throw error;
    throw newBadRequest(prefix + message);
  }
}
