// The three ways to change an object by a patch, read once and applied as often as needed.

import { decodeUtf8 } from "#api/json.ts";
import type { KubeObject } from "#api/object.ts";
import { goFormat } from "#api/patch/go-format.ts";
import { applyJsonPatch, decodeJsonPatch, jsonPatchStrictErrors } from "#api/patch/json-patch.ts";
import { isObject, type JsonObject } from "#api/patch/json-value.ts";
import { applyMergePatch } from "#api/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "#api/patch/strategic-merge.ts";
import { newBadRequest } from "#api/status-error.ts";
import { strictErrors } from "../decoding/decode-object.ts";
import { parseErrorText, parseJsonText, type RequestBody } from "../decoding/request-body.ts";
import type { KindVersion } from "../registry.ts";
import type { FieldValidation } from "../write-options.ts";

export interface PatchMechanism {
  /** What is doubtful about the patch itself. */
  readonly strictErrors: readonly string[];
  /** The patched object, in the version of the endpoint, not yet checked. */
  apply(object: KubeObject): unknown;
  /** How a refusal shows the patched object. */
  describe(patched: unknown): string;
}

export function patchMechanism(
  type: "json" | "merge" | "strategic",
  body: RequestBody,
  validation: FieldValidation,
  version: KindVersion,
): PatchMechanism {
  const isStrict = validation !== "Ignore";
  const { value, text } = parsePatch(body, type !== "strategic" && isStrict ? "error decoding patch: " : "");
  const repeated = isStrict && text !== undefined ? strictErrors({ value, text, isYaml: false }, []) : [];
  switch (type) {
    case "json": {
      const operations = decodeJsonPatch(value);
      const errors = isStrict
        ? [...jsonPatchStrictErrors(operations), ...repeated.map((error) => `json patch ${error}`)]
        : [];
      return {
        strictErrors: errors,
        apply: (object) => applyJsonPatch(object as JsonObject, value),
        describe: JSON.stringify,
      };
    }
    case "merge":
      return {
        strictErrors: repeated,
        apply: (object) => applyMergePatch(object as JsonObject, value),
        describe: JSON.stringify,
      };
    case "strategic": {
      if (!isObject(value)) throw newBadRequest("invalid patch: expected an object");
      const schema = version.schema();
      if (schema === undefined) throw newBadRequest("the kind has no schema to merge by");
      return {
        strictErrors: repeated,
        apply: (object) => applyStrategicMergePatch(object as JsonObject, value, schema),
        describe: () => goFormat(value),
      };
    }
  }
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
