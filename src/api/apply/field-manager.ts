// managedFields on every write, and server-side apply, in one function each. The steps are in the order of upstream's
// chain of managers. Upstream: k8s.io/apimachinery pkg/util/managedfields/internal

import type { ManagedFieldsEntry } from "#api/meta.ts";
import { apiVersionOf, type GroupVersionKind, parseApiVersion } from "#api/object.ts";
import { deepEqual, guardDepth, isArray, isObject, type JsonObject } from "#api/patch/json-value.ts";
import { ApiError, newBadRequest } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { type ApplyKind, identityOf } from "./apply-kind.ts";
import { Conflicts, conflictError } from "./conflicts.ts";
import { difference, emptySet, type FieldSet, union } from "./field-set.ts";
import { allowedByLastApplied, withLastApplied } from "./last-applied.ts";
import { capUpdaters, decodeOwners, encodeOwners, type Owner, type Owners } from "./owners.ts";
import { stripSet } from "./strip-set.ts";
import { TypedError, validate } from "./typed-value.ts";
import { applyConfiguration, updateOwners } from "./updater.ts";

export interface UpdateRequest {
  /** The stored object; undefined for a create. */
  readonly live: JsonObject | undefined;
  /** The object to store, patched and defaulted, before admission. */
  readonly updated: JsonObject;
  readonly manager: string;
  /** A metav1.Time. */
  readonly now: string;
}

export interface UpdateResult {
  /** The updated object with its managedFields. */
  readonly object: JsonObject;
  /** Why there are no managedFields: as upstream, tracking never fails a write. The server logs it. */
  readonly error?: Error;
}

/** Create, update and all patches except apply. */
export function updateManagedFields(kind: ApplyKind, request: UpdateRequest): UpdateResult {
  try {
    return guardDepth(() => track(kind, request));
  } catch (error) {
    if (!(error instanceof TypedError || error instanceof ApiError)) throw error;
    return { object: withManagedFields(request.updated, undefined), error };
  }
}

function track(kind: ApplyKind, request: UpdateRequest): UpdateResult {
  const { live, updated, manager, now } = request;
  const owners = ownersBefore(kind, live, updated);
  if (owners.size === 0 && live !== undefined) return { object: withManagedFields(updated, undefined) };
  const after =
    owners.size === 0 && (live === undefined || live === kind.zero)
      ? ownersOfCreate(kind, updated, manager, now)
      : ownersOfUpdate(kind, live ?? kind.zero, updated, owners, manager, now);
  const source = managedFieldsOf(live);
  const encoded = after.size === 0 ? undefined : encodeOwners(after);
  return { object: withManagedFields(updated, sameEntries(source, encoded) ? source : encoded) };
}

/** Similar objects that one manager creates within one second share its entry. */
const creators = new WeakMap<FieldSet, Owner>();

function ownersOfCreate(kind: ApplyKind, object: JsonObject, manager: string, now: string): Owners {
  const set = kind.shapes.ownedByCreate(object);
  if (set === emptySet) return new Map();
  const identity = identityOf(kind, manager, false);
  let owner = creators.get(set);
  if (owner === undefined || owner.id !== identity.id || owner.time !== now) {
    owner = { ...identity, set, time: now };
    creators.set(set, owner);
  }
  return new Map([[identity.id, owner]]);
}

function ownersOfUpdate(
  kind: ApplyKind,
  live: JsonObject,
  updated: JsonObject,
  before: Owners,
  manager: string,
  now: string,
): Owners {
  const { owners, changed } = updateOwners(kind, live, updated, before);
  const set = difference(changed, stripSet);
  if (set !== emptySet) {
    const identity = identityOf(kind, manager, false);
    const previous = owners.get(identity.id);
    // A write that changes only fields that its manager already owns, within one second, keeps the entry.
    const former = before.get(identity.id);
    const all = restored(union(set, previous?.set ?? emptySet), former);
    const isSame = former !== undefined && all === former.set && former.time === now;
    owners.set(identity.id, isSame ? former : { ...identity, set: all, time: now });
  }
  capUpdaters(owners);
  return owners;
}

/** Prefers the owner's old set if it is equal: removing changes and adding them back copies it. */
function restored(set: FieldSet, former: Owner | undefined): FieldSet {
  return former !== undefined && deepEqual(set, former.set) ? former.set : set;
}

/**
 * The managedFields of the request are used if they are present and readable, so that a client can edit or reset them,
 * but not through a subresource. Upstream: decodeLiveOrNew
 */
function ownersBefore(kind: ApplyKind, live: JsonObject | undefined, updated: JsonObject): Owners {
  const stored = managedFieldsOf(live);
  const sent = managedFieldsOf(updated);
  if (kind.subresource === "" && sent !== undefined && sent !== stored) {
    if (isReset(sent)) return new Map();
    const owners = decodeOrNone(sent);
    if (owners.size > 0) return owners;
  }
  return decodeOrNone(stored);
}

function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [only] = entries;
  return only === undefined || (entries.length === 1 && isObject(only) && Object.keys(only).length === 0);
}

function decodeOrNone(entries: readonly ManagedFieldsEntry[] | undefined): Owners {
  try {
    return decodeOwners(entries);
  } catch {
    // As upstream, unreadable managedFields count as none: clients may break them.
    return new Map();
  }
}

export interface ApplyRequest {
  /** Undefined: apply creates the object. */
  readonly live: JsonObject | undefined;
  /** The decoded body of the patch. */
  readonly patch: unknown;
  readonly manager: string;
  readonly force: boolean;
  readonly now: string;
}

/**
 * Server-side apply: the object to store, before decoding and defaulting. Throws ApiError: 409 with causes for
 * conflicts, 400 for a patch of another kind, 500 for one that does not fit the schema.
 */
export function applyPatch(kind: ApplyKind, request: ApplyRequest): JsonObject {
  const { patch } = request;
  if (!isObject(patch)) throw newBadRequest("error decoding YAML: the patch is not an object");
  try {
    return guardDepth(() => applyObject(kind, request, patch));
  } catch (error) {
    if (error instanceof Conflicts) throw conflictError(error);
    throw error instanceof TypedError ? internal(error.message) : error;
  }
}

function applyObject(kind: ApplyKind, request: ApplyRequest, patch: JsonObject): JsonObject {
  const { manager, now } = request;
  let live = request.live ?? kind.zero;
  let owners = storedOwners(live);
  checkPatch(kind, patch);
  if (owners.size === 0 && request.live !== undefined) {
    // The fields that exist before the first apply belong to one manager, with upstream's name.
    checkTyped(
      kind,
      live,
      true,
      "failed to create manager for existing fields: failed to convert new object",
      " to smd typed",
    );
    owners = ownersOfUpdate(kind, kind.zero, live, owners, "before-first-apply", now);
    live = withoutManagedFields(live);
  }
  checkTyped(kind, patch, false, "failed to create typed patch object");
  checkTyped(kind, live, true, "failed to create typed live object");
  const identity = identityOf(kind, manager, true);
  const applyAs = (force: boolean) => applyConfiguration(kind, live, patch, owners, identity, force);
  const result = isKubectl(manager) && !request.force ? upgrading(kind, live, applyAs) : applyAs(request.force);
  const applier = result.owners.get(identity.id);
  if (applier !== undefined) {
    const set = difference(applier.set, stripSet);
    if (set === emptySet) result.owners.delete(identity.id);
    else result.owners.set(identity.id, { ...applier, set, time: result.object === undefined ? applier.time : now });
  }
  let object = result.object ?? live;
  if (isKubectl(manager)) object = withLastApplied(object, patch);
  const source = managedFieldsOf(request.live);
  const encoded = result.owners.size === 0 ? undefined : encodeOwners(unchangedOwners(result.owners, owners));
  return withManagedFields(object, sameEntries(source, encoded) ? source : encoded);
}

/** Restores the original owner objects that are equal, so that their entries stay the same objects. */
function unchangedOwners(after: Owners, before: Owners): Owners {
  const out = new Map<string, Owner>();
  for (const [id, owner] of after) {
    const former = before.get(id);
    out.set(id, former !== undefined && deepEqual(owner, former) ? former : owner);
  }
  return out;
}

const isKubectl = (manager: string): boolean => manager === "kubectl";

/** For kubectl's move from client-side apply: fields in its annotation are no conflict. */
function upgrading<T>(kind: ApplyKind, live: JsonObject, applyAs: (force: boolean) => T): T {
  try {
    return applyAs(false);
  } catch (error) {
    if (!(error instanceof Conflicts)) throw error;
    const remaining = allowedByLastApplied(kind, live, error);
    if (remaining !== undefined) throw remaining;
    return applyAs(true);
  }
}

function storedOwners(live: JsonObject): Owners {
  try {
    return decodeOwners(managedFieldsOf(live));
  } catch (error) {
    throw internal(`failed to decode managed fields: ${errorMessage(error)}`);
  }
}

function checkPatch(kind: ApplyKind, patch: JsonObject): void {
  const gvk = gvkOf(patch);
  if (gvk.kind !== kind.gvk.kind || apiVersionOf(gvk) !== kind.apiVersion) {
    throw newBadRequest(`invalid object type: ${gvkText(gvk)}`);
  }
  if (managedFieldsOf(patch) !== undefined) throw newBadRequest("metadata.managedFields must be nil");
}

function checkTyped(
  kind: ApplyKind,
  object: JsonObject,
  allowDuplicates: boolean,
  failure: string,
  purpose = "",
): void {
  try {
    validate(kind.atom, object, allowDuplicates);
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    const { name = "", namespace = "" } = isObject(object.metadata) ? object.metadata : {};
    const what = `${String(namespace)}/${String(name)}; ${gvkText(gvkOf(object))}`;
    throw internal(`${failure} (${what})${purpose}: ${error.message}`);
  }
}

/** Errors without a status become a 500 with the text, as in upstream. */
function internal(message: string): ApiError {
  return new ApiError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
}

function gvkOf(object: JsonObject): GroupVersionKind {
  const { apiVersion, kind } = object;
  const parsed = parseApiVersion(typeof apiVersion === "string" ? apiVersion : "");
  // An unreadable value counts as empty.
  if (parsed.version.includes("/")) return { group: "", version: "", kind: "" };
  return { ...parsed, kind: typeof kind === "string" ? kind : "" };
}

const gvkText = (gvk: GroupVersionKind): string => `${gvk.group}/${gvk.version}, Kind=${gvk.kind}`;

function managedFieldsOf(object: JsonObject | undefined): readonly ManagedFieldsEntry[] | undefined {
  const metadata = object?.metadata;
  const entries = isObject(metadata) ? metadata.managedFields : undefined;
  return isArray(entries) ? (entries as readonly ManagedFieldsEntry[]) : undefined;
}

function sameEntries(
  a: readonly ManagedFieldsEntry[] | undefined,
  b: readonly ManagedFieldsEntry[] | undefined,
): a is readonly ManagedFieldsEntry[] {
  return a !== undefined && b !== undefined && a.length === b.length && a.every((entry, i) => entry === b[i]);
}

function withoutManagedFields(object: JsonObject): JsonObject {
  return withManagedFields(object, undefined);
}

function withManagedFields(object: JsonObject, entries: readonly ManagedFieldsEntry[] | undefined): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata)) return entries === undefined ? object : { ...object, metadata: { managedFields: entries } };
  if (metadata.managedFields === entries) return object;
  if (entries !== undefined) return { ...object, metadata: { ...metadata, managedFields: entries } };
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
