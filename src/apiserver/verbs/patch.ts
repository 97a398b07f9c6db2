// PATCH: JSON, merge, strategic merge and apply, on the main resource and its subresources. If the object changed
// meanwhile, the patch is computed again, so the client gets a conflict only if its patch names a version.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go, PatchResource

import * as field from "#api/field-error.ts";
import { lazy } from "#api/lazy.ts";
import { type KubeObject, parseApiVersion } from "#api/object.ts";
import { newConflict, newInternalError, newInvalid, newNotFound, newUnsupportedMediaType } from "#api/status-error.ts";
import { TypedDecodingError } from "#api/typed-decoding.ts";
import type { HttpResponse } from "#base/http.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { missingKind, toStoredForm } from "../decoding/decode-object.ts";
import { givenKind } from "../decoding/given-kind.ts";
import { type RequestBody, readBody } from "../decoding/request-body.ts";
import { unsupportedRouteMediaType } from "../errors.ts";
import { managerOf, recordUpdate } from "../managed-fields.ts";
import { negotiationRules } from "../negotiation-rules.ts";
import type { KindVersion } from "../registry.ts";
import { respondWithObject } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { addWarning, headerOf } from "../request-context.ts";
import { matchNamespace } from "../write/namespace-match.ts";
import { updateObject } from "../write/update-object.ts";
import { parsePatchOptions, type WriteOptions } from "../write-options.ts";
import { desiredByApply } from "./apply.ts";
import { type PatchMechanism, patchMechanism } from "./patch-mechanisms.ts";
import { authorizeCreate, checkObjectName, type Desired, updateRules } from "./update.ts";

const JSON_PATCH = "application/json-patch+json";
const MERGE_PATCH = "application/merge-patch+json";
const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
const APPLY_PATCH = "application/apply-patch+yaml";

export async function patch(core: ServerCore, call: ResourceCall, signal: AbortSignal): Promise<HttpResponse> {
  const { context, endpoint } = call;
  const type = patchTypeOf(call);
  const representation = negotiate(context, negotiationRules(call));
  const { options, desired } = await desiredByPatch(core, call);
  const { object, isCreated } = await updateObject(
    core,
    call,
    {
      options,
      rules: updateRules(call),
      forceAllowCreate: type === APPLY_PATCH && call.subresource === "",
      uid: "",
      authorizeCreate: () => authorizeCreate(core, call, signal),
      desired,
    },
    signal,
  );
  return respondWithObject(context, endpoint, representation, object, isCreated ? 201 : 200);
}

export async function desiredByPatch(core: ServerCore, call: ResourceCall): Promise<Desired> {
  const type = patchTypeOf(call);
  const body = await readBody(call.context.request, core.limits.bodyBytesMax);
  const options = parsePatchOptions(call.context.query, type === APPLY_PATCH);
  const manager = managerOf(call, options.fieldManager);
  const compute =
    type === APPLY_PATCH ? desiredByApply(call, body, options) : patched(core, call, type, body, options, manager);
  return { options, uid: "", desired: (existing) => checkIdentity(call, compute(existing), existing) };
}

/** Throws a 415. Custom resources have no strategic merge patch. */
function patchTypeOf({ context, endpoint }: ResourceCall): string {
  const header = headerOf(context.request, "content-type");
  const semicolon = header.indexOf(";");
  const type = (semicolon > 0 ? header.slice(0, semicolon) : header).trim();
  const isKnown = type === JSON_PATCH || type === MERGE_PATCH || type === APPLY_PATCH;
  if (isKnown || (type === STRATEGIC_PATCH && !endpoint.row.isCustom)) return type;
  // Custom resources have no router that knows their patch types.
  throw endpoint.row.isCustom
    ? newUnsupportedMediaType([JSON_PATCH, MERGE_PATCH, APPLY_PATCH])
    : unsupportedRouteMediaType();
}

type Compute = Desired["desired"];

function patched(
  core: ServerCore,
  call: ResourceCall,
  type: string,
  body: RequestBody,
  options: WriteOptions,
  manager: string,
): Compute {
  const { endpoint } = call;
  const name = type === JSON_PATCH ? "json" : type === MERGE_PATCH ? "merge" : "strategic";
  // Parsed on first use: without an object the patch is not parsed.
  const mechanism = lazy(() => patchMechanism(name, body, options.fieldValidation, endpoint.version));
  return (existing) => {
    // A missing object cannot be patched; only an apply creates.
    if (existing === undefined) throw newNotFound(endpoint.groupResource, call.name);
    const current = endpoint.isStoredVersion ? existing : endpoint.version.fromStored(existing);
    const object = decodePatched(call, mechanism(), current, options);
    return recordUpdate(core, call, existing, object, manager);
  };
}

/** Decodes the patched object: an error is the patch's fault. */
function decodePatched(
  call: ResourceCall,
  mechanism: PatchMechanism,
  current: KubeObject,
  options: WriteOptions,
): KubeObject {
  const { context, endpoint } = call;
  const { version } = endpoint;
  const value = mechanism.apply(current);
  const invalid = (message: string): Error => invalidPatch(mechanism.describe(value, current), message);
  const found = givenKind(value, version);
  const isOther = found.kind === "other" && !endpoint.row.isCustom;
  if (mechanism.wording === "json" && (found.kind === "unreadable" || isOther)) throw invalid(found.error);
  if (endpoint.row.isCustom)
    checkCustomKind(call, value as KubeObject, () => invalid(missingKind(mechanism.describe(value, current))));
  let decoded: ReturnType<typeof version.decode>;
  try {
    decoded = isVersionless(call, mechanism, value as KubeObject)
      ? nothingKnown(value as KubeObject)
      : version.decode(value, mechanism.wording, endpoint.isStoredVersion ? current : undefined);
  } catch (error) {
    if (error instanceof TypedDecodingError) throw invalid(error.message);
    throw error;
  }
  if (options.fieldValidation !== "Ignore") {
    const errors = [...mechanism.strictErrors, ...decoded.unknownFields.map((path) => `unknown field "${path}"`)];
    if (errors.length > 0 && options.fieldValidation === "Strict") {
      throw invalid(`strict decoding error: ${errors.join(", ")}`);
    }
    for (const error of errors) addWarning(context, error);
  }
  return toStoredForm(context, version, decoded, value);
}

/** Without a version upstream decodes the patched object into its internal type, whose fields have other names. */
function isVersionless({ endpoint }: ResourceCall, { wording }: PatchMechanism, { apiVersion }: KubeObject): boolean {
  return wording === "json" && !endpoint.row.isCustom && !apiVersion;
}

function nothingKnown(value: KubeObject): ReturnType<KindVersion["decode"]> {
  const names = Object.keys(value).filter((name) => name !== "kind" && name !== "apiVersion");
  return { value: {}, unknownFields: names.sort() };
}

/** A patch of a custom resource can remove or change its kind. Validation refuses another group. */
function checkCustomKind({ endpoint }: ResourceCall, value: KubeObject, kindIsMissing: () => Error): void {
  const { kind, apiVersion, metadata } = value;
  if (!kind) throw kindIsMissing();
  if (apiVersion === endpoint.apiVersion) return;
  if (!apiVersion) throw newInternalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  const { group } = parseApiVersion(apiVersion);
  if (group !== endpoint.version.group) return;
  const path = field.newPath("apiVersion");
  throw newInvalid({ group, kind }, metadata?.name ?? "", [
    field.invalid(path, apiVersion, `must be ${endpoint.apiVersion}`),
  ]);
}

function invalidPatch(shown: string, message: string): Error {
  return newInvalid({ group: "", kind: "" }, "", [field.invalid(field.newPath("patch"), shown, message)]);
}

/** A patch cannot change the name or namespace. Upstream: patch.go, applyPatch */
function checkIdentity(call: ResourceCall, object: KubeObject, existing: KubeObject | undefined): KubeObject {
  const uid = object.metadata?.uid ?? "";
  if (existing === undefined && uid !== "") {
    const what = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw newConflict(call.endpoint.groupResource, call.name, what);
  }
  const matched = matchNamespace(object, call.endpoint.row.namespaced ? call.namespace : "");
  checkObjectName(call, matched);
  return matched;
}
