// From a request's body to an object in the stored form: parsed, checked to be of the endpoint's
// kind, read into its type, defaulted, converted. Unknown and repeated fields become warnings or errors.
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

/** Throws a 400 or 415. `version` is the kind that the body should have: the endpoint's, or that of its subresource. */
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

/** From a value that was read into its type to what is stored. `given` is the value as it came. */
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
  // An empty list of managed fields means to forget them all; the type itself would leave it out.
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

/** What the body says it is must be the endpoint's kind; what it does not say is taken from there. */
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
 * A custom resource must say what it is. Another kind is left to the rules of this one.
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
  // Another decoder reads what need not be strict, and says so in other words.
  if (validation === "Ignore") throw cannotBeHandled(expected, expected.kind, missing);
  throw unrecognized(expected, missing, body);
}

/** The version is looked at once the metadata could be read. */
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

/** The server of custom resources knows no other kind than the one it expects here. */
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

/** The other kind is read first, and may already fail to be one. */
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

/** Upstream's decoder of types stops counting there: sigs.k8s.io/json, saveStrictError. */
const STRICT_ERRORS_MAX = 100;
const KEY = /"(?:[^"\\]|\\.)*"\s*:/g;

/** Unknown fields, and repeated ones, which are only looked for when the text has more keys than the value. */
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
  // A custom resource of another kind or group is told so by its rules.
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
