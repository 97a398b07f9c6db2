// Server-side apply: the result of a PATCH with a configuration for an existing or a new object.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go, applyPatcher

import { decodeUtf8 } from "#api/json.ts";
import { lazy } from "#api/lazy.ts";
import type { KubeObject } from "#api/object.ts";
import { jsonKind } from "#api/patch/json-value.ts";
import { bareFailure, newBadRequest } from "#api/status-error.ts";
import { TypedDecodingError } from "#api/typed-decoding.ts";
import type { ResourceCall } from "../core.ts";
import { strictErrors, toStoredForm } from "../decoding/decode-object.ts";
import {
  directValue,
  type ParsedBody,
  parseErrorText,
  parseJsonText,
  parseYamlText,
  type RequestBody,
} from "../decoding/request-body.ts";
import { applyTo } from "../managed-fields.ts";
import { addWarning } from "../request-context.ts";
import type { WriteOptions } from "../write-options.ts";

export function desiredByApply(
  call: ResourceCall,
  body: RequestBody,
  options: WriteOptions,
): (existing: KubeObject | undefined) => KubeObject {
  const { context, endpoint } = call;
  const { version } = endpoint;
  const configuration = lazy(() => parseConfiguration(call, body, options));
  return (existing) => {
    const object = applyTo(call, existing, configuration(), options.fieldManager, options.force);
    try {
      return toStoredForm(context, version, version.decode(object, "unstructured"), undefined);
    } catch (error) {
      if (error instanceof TypedDecodingError) throw notConvertible(call, configuration() as KubeObject, error.message);
      throw error;
    }
  };
}

function parseConfiguration(call: ResourceCall, body: RequestBody, options: WriteOptions): unknown {
  const parsed = parse(body);
  const { value } = parsed;
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) {
    const what = `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
    throw newBadRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${what}`);
  }
  if (options.fieldValidation !== "Ignore") {
    const errors = strictErrors(parsed, []);
    if (errors.length > 0 && options.fieldValidation === "Strict") {
      throw newBadRequest(`error strict decoding YAML: ${errors.join(", ")}`);
    }
    for (const error of errors) addWarning(call.context, error);
  }
  return value;
}

function parse(body: RequestBody): ParsedBody {
  if (body.kind === "object") return { value: directValue(body.value, "double") };
  try {
    const text = decodeUtf8(body.bytes);
    return parseAsJson(text) ?? parseYamlText(text, "double");
  } catch (error) {
    const message = parseErrorText(error);
    if (message === undefined) throw error;
    throw newBadRequest(`error decoding YAML: ${message}`);
  }
}

/**
 * Most configurations are JSON, which is parsed faster as JSON. Text that begins like JSON may still be YAML: `{ a: 1,
 * }`.
 */
function parseAsJson(text: string): ParsedBody | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return { value: parseJsonText(text, "double"), text };
  } catch (error) {
    if (parseErrorText(error) === undefined) throw error;
    return undefined;
  }
}

function notConvertible({ endpoint }: ResourceCall, { metadata }: KubeObject, message: string): Error {
  const { group, version, kind } = endpoint.version;
  const gvk = `${group}/${version}, Kind=${kind}`;
  const what = `failed to convert new object (${metadata?.namespace ?? ""}/${metadata?.name ?? ""}; ${gvk}) to proper version`;
  return bareFailure(500, "", `${what}: unable to convert unstructured object to ${gvk}: ${message}`);
}
