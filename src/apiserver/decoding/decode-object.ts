// Decodes a request's body into an object in the stored form: parses it, checks its kind, decodes it into its type,
// applies defaults, converts it. Unknown and duplicate fields become warnings or errors.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/create.go and rest.go, transformDecodeError

import { goTypeOfKind } from "#api/go-layout.ts";
import { type BeyondInt64, decodeUtf8 } from "#api/json.ts";
import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import { apiVersionOf, parseApiVersion } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { type ApiError, newBadRequest } from "#api/status-error.ts";
import { decodeTyped, type TypedDecoding, TypedDecodingError } from "#api/typed-decoding.ts";
import { stringifyJson } from "#base/json.ts";
import type { ResourceCall } from "../core.ts";
import type { KindVersion } from "../registry.ts";
import { addWarning, type RequestContext } from "../request-context.ts";
import type { FieldValidation } from "../write-options.ts";
import { givenKind } from "./given-kind.ts";
import { strictGoErrors } from "./go-json.ts";
import { bodyEncoding, type ParsedBody, parseBody, parseErrorText, type RequestBody } from "./request-body.ts";

/** Throws a 400 or 415. `version`: the expected kind of the body, that of the endpoint or its subresource. */
export function decodeObject(
  call: ResourceCall,
  body: RequestBody,
  validation: FieldValidation,
  version: KindVersion,
): KubeObject {
  const { context, endpoint } = call;
  const encoding = bodyEncoding(context.request, !endpoint.row.isCustom);
  const isCustom = endpoint.row.isCustom && version.goType === undefined;
  const parsed = parseOrRefuse(body, encoding, version, isCustom ? "double" : "bigint");
  let given: GroupVersionKind = version;
  if (isCustom) given = customKindOf(parsed.value, version, body, validation);
  else if (endpoint.row.isCustom) checkScaleKind(parsed.value, version, body);
  else checkKind(parsed.value, version, body);
  let decoded: ReturnType<KindVersion["decode"]>;
  try {
    decoded = version.decode(parsed.value);
  } catch (error) {
    if (error instanceof TypedDecodingError) throw cannotBeHandled(given, version.kind, error.message);
    throw error;
  }
  if (isCustom) checkCustomVersion(parsed.value as Partial<KubeObject>, given, version);
  if (validation !== "Ignore") {
    const all = strictErrors(parsed, decoded.unknownFields);
    const errors = isCustom ? all : [...new Set(all)].slice(0, STRICT_ERRORS_MAX);
    if (errors.length > 0 && validation === "Strict") {
      throw cannotBeHandled(version, version.kind, `strict decoding error: ${errors.join(", ")}`);
    }
    for (const error of errors) addWarning(context, error);
  }
  return toStoredForm(context, version, decoded, parsed.value);
}

/** Defaults and converts a decoded value. `given`: the value as received. */
export function toStoredForm(
  context: RequestContext,
  version: KindVersion,
  { value, hasEmptyLists }: TypedDecoding,
  given: unknown,
): KubeObject {
  if (hasEmptyLists) context.hasEmptyLists = true;
  const defaulted = version.applyDefaults(withKind(value, version), context.receivedMs);
  context.decodedBody = defaulted;
  const object = version.toStored(defaulted);
  // An empty managedFields list resets all managed fields; decoding into the type would drop it.
  const { managedFields } = (given as KubeObject | null)?.metadata ?? {};
  const isReset = version.goType !== undefined && Array.isArray(managedFields) && managedFields.length === 0;
  return isReset ? withMeta(object, { managedFields }) : object;
}

function parseOrRefuse(
  body: RequestBody,
  encoding: ReturnType<typeof bodyEncoding>,
  version: GroupVersionKind,
  beyondInt64: BeyondInt64,
): ParsedBody {
  try {
    return parseBody(body, encoding, version, beyondInt64);
  } catch (error) {
    const text = parseErrorText(error);
    if (text === undefined) throw error;
    const prefix = encoding === "json" ? "couldn't get version/kind; json parse error: " : "";
    throw unrecognized(version, prefix + text, body);
  }
}

/** The kind and apiVersion of the body must be the endpoint's, or absent. */
function checkKind(value: unknown, expected: KindVersion, body: RequestBody): void {
  const found = givenKind(value, expected);
  switch (found.kind) {
    case "expected":
      return;
    case "unreadable":
      throw unrecognized(expected, found.error, body);
    case "otherVersion": {
      const versions = `(${apiVersionOf(found.given)}) does not match the expected API version (${apiVersionOf(expected)})`;
      throw newBadRequest(`the API version in the data ${versions}`);
    }
    case "other":
      if (found.given.kind === expected.kind && apiVersionOf(found.given) === expected.alsoReads) return;
      throw cannotBeHandled(found.given, expected.kind, misfitOf(value, found.given) ?? found.error);
  }
}

/**
 * A custom resource must have a kind. Another kind is left for validation to refuse.
 * Upstream: apimachinery/pkg/runtime/serializer/json/json.go, Decode into an Unstructured
 */
function customKindOf(
  value: unknown,
  expected: KindVersion,
  body: RequestBody,
  validation: FieldValidation,
): GroupVersionKind {
  const found = givenKind(value, expected);
  if (found.kind === "unreadable") throw unrecognized(expected, found.error, body);
  const { kind, apiVersion } = (value ?? {}) as { kind?: string | null; apiVersion?: string | null };
  if (kind) return { ...parseApiVersion(apiVersion ?? ""), kind };
  const missing = missingKind(body.kind === "bytes" ? decodeUtf8(body.bytes) : value);
  // Upstream uses another decoder here, with other messages.
  if (validation === "Ignore") throw cannotBeHandled(expected, expected.kind, missing);
  throw unrecognized(expected, missing, body);
}

/** The version is checked after the metadata was decoded. */
function checkCustomVersion(value: Partial<KubeObject>, given: GroupVersionKind, expected: KindVersion): void {
  const { apiVersion } = value as { apiVersion?: string | null };
  if (apiVersion === apiVersionOf(expected)) return;
  if (apiVersion === null) {
    const what = ".apiVersion accessor error: <nil> is of the type <nil>, expected string";
    throw cannotBeHandled(given, expected.kind, what);
  }
  const versions = `(${apiVersion ?? ""}) does not match the expected API version (${apiVersionOf(expected)})`;
  throw newBadRequest(`the API version in the data ${versions}`);
}

/** Upstream's server of custom resources knows only the expected kind here. */
function checkScaleKind(value: unknown, expected: KindVersion, body: RequestBody): void {
  const found = givenKind(value, expected);
  if (found.kind === "unreadable") throw unrecognized(expected, found.error, body);
  if (found.kind === "expected") return;
  throw newBadRequest(
    `no kind is registered for the type ${expected.version}.${expected.kind} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

export function missingKind(value: unknown): string {
  return `Object 'Kind' is missing in '${typeof value === "string" ? value : stringifyJson(value)}'`;
}

/** Upstream decodes the given kind first, so an error in that comes first. */
function misfitOf(value: unknown, given: GroupVersionKind): string | undefined {
  const goType = goTypeOfKind(given);
  try {
    if (goType !== undefined) decodeTyped(goType, value);
    return undefined;
  } catch (error) {
    if (error instanceof TypedDecodingError) return error.message;
    throw error;
  }
}

/** Upstream's typed decoder stops at this number: sigs.k8s.io/json, saveStrictError. */
const STRICT_ERRORS_MAX = 100;
const KEY = /"(?:[^"\\]|\\.)*"\s*:/g;

/** Unknown and duplicate fields. Duplicates are searched only if the text has more keys than the value. */
export function strictErrors(parsed: ParsedBody, unknownFields: readonly string[]): string[] {
  const errors = unknownFields.map((path) => `unknown field "${path}"`);
  if (parsed.text === undefined) return [...(parsed.yamlErrors ?? []), ...errors];
  let keys = 0;
  KEY.lastIndex = 0;
  while (KEY.test(parsed.text)) keys++;
  if (keys === countKeys(parsed.value)) return errors;
  return [...strictGoErrors(parsed.text, unknownFields)];
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
  } else {
    for (const key in value) count += 1 + countKeys((value as Record<string, unknown>)[key]);
  }
  return count;
}

function withKind(value: Readonly<Record<string, unknown>>, version: KindVersion): KubeObject {
  const own = version.group === "" ? version.version : `${version.group}/${version.version}`;
  // Validation refuses a custom resource of another kind or group.
  const isCustom = version.goType === undefined;
  const kind = isCustom ? (value.kind as string | undefined) || version.kind : version.kind;
  const given = isCustom ? (value.apiVersion as string | undefined) : undefined;
  const apiVersion = given && parseApiVersion(given).group !== version.group ? given : own;
  if (value.kind === kind && value.apiVersion === apiVersion) return value as KubeObject;
  return { ...value, kind, apiVersion };
}

function cannotBeHandled(given: GroupVersionKind, expected: string, cause: string): ApiError {
  return newBadRequest(`${given.kind} in version "${given.version}" cannot be handled as a ${expected}: ${cause}`);
}

function unrecognized(expected: GroupVersionKind, cause: string, body: RequestBody): ApiError {
  const summary = body.kind === "bytes" ? summarize(body.bytes) : "<object>";
  return newBadRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${cause} (${summary})`);
}

const SUMMARY_BYTES_MAX = 30;

/** Upstream: handlers/rest.go, summarizeData */
function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const isCut = bytes.length > SUMMARY_BYTES_MAX;
  const start = bytes.subarray(0, SUMMARY_BYTES_MAX);
  const text =
    bytes[0] === 0x7b
      ? new TextDecoder().decode(start)
      : Array.from(start, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return isCut ? `${text} ...` : text;
}
