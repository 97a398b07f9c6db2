// Updates a stored object: the loop behind PUT, PATCH, apply and the updating subresources. It computes the desired
// object from the stored one, and starts again when that changed meanwhile.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go, Update

import * as field from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta, withResourceVersion } from "#api/object-meta.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import { bareFailure, isAlreadyExists, newConflict, newInvalid, newNotFound } from "#api/status-error.ts";
import type { UpdateStrategy } from "#kinds/strategy.ts";
import { checkName } from "../addressed-object.ts";
import {
  admissionAttributes,
  keyOf,
  type ResourceCall,
  type ServerCore,
  strategyContext,
  writeAccess,
} from "../core.ts";
import { ignoreManagedFieldsTimes } from "../managed-fields.ts";
import type { StorageKey, StoredVersion } from "../storage/storage.ts";
import type { WriteOptions } from "../write-options.ts";
import { allocating } from "./allocating.ts";
import { beforeUpdate } from "./before-update.ts";
import { createOnce } from "./create-object.ts";
import { checkSize } from "./object-size.ts";
import { dedupeOwnerReferences } from "./owner-references.ts";
import { storable } from "./storable.ts";
import { OPTIMISTIC_LOCK, preconditionFailed } from "./storage-errors.ts";

export interface UpdateRequest {
  readonly options: WriteOptions;
  /** The rules of the main resource or of a subresource. */
  readonly rules: UpdateStrategy;
  /** An apply creates a missing object. */
  readonly forceAllowCreate: boolean;
  /** The uid that the client requires; "" for any. */
  readonly uid: string;
  /** Checks the permission to create, if the update turns into a create. Throws a 403. */
  authorizeCreate(): Promise<void>;
  /** The desired object in the stored form, with managed fields. Called again after each conflict. */
  desired(existing: KubeObject | undefined): KubeObject | Promise<KubeObject>;
}

export interface UpdateResult {
  readonly object: KubeObject;
  readonly isCreated: boolean;
}

export async function updateObject(
  core: ServerCore,
  call: ResourceCall,
  request: UpdateRequest,
  signal: AbortSignal,
): Promise<UpdateResult> {
  const { row } = call.endpoint;
  checkName(call.name);
  const key = keyOf(row, call.namespace, call.name);
  const table = core.tableOf(row);
  for (;;) {
    signal.throwIfAborted();
    const existing = table.get(key);
    const result =
      existing === undefined
        ? await createInstead(core, call, request, key, signal)
        : await updateOnce(core, call, request, existing, signal);
    if (result !== undefined) return result;
  }
}

async function createInstead(
  core: ServerCore,
  call: ResourceCall,
  request: UpdateRequest,
  key: StorageKey,
  signal: AbortSignal,
): Promise<UpdateResult | undefined> {
  const { endpoint } = call;
  const { options } = request;
  if (!endpoint.row.strategy.allowCreateOnUpdate && !request.forceAllowCreate) {
    throw newNotFound(endpoint.groupResource, call.name);
  }
  if (request.uid !== "") throw preconditionFailed(call, key, "UID", [request.uid, ""], options.dryRun);
  let object = await request.desired(undefined);
  const attributes = admissionAttributes(call, "CREATE", options, { object });
  await core.admission.admit(attributes, signal);
  object = dedupeOwnerReferences(attributes.object as KubeObject, call.context, true);
  await endpoint.row.authorizeWrite?.(call, object, undefined, signal);
  readVersion(object);
  try {
    const created = await createOnce(core, call, object, options, signal, request.authorizeCreate);
    return { object: created, isCreated: true };
  } catch (error) {
    // Another request created it meanwhile, so this is an update.
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}

/** Undefined if another write was faster. */
async function updateOnce(
  core: ServerCore,
  call: ResourceCall,
  request: UpdateRequest,
  existing: StoredVersion,
  signal: AbortSignal,
): Promise<UpdateResult | undefined> {
  const { options } = request;
  const old = existing.object;
  const uid = old.metadata?.uid ?? "";
  if (request.uid !== "" && request.uid !== uid) {
    throw preconditionFailed(call, existing.key, "UID", [request.uid, uid], options.dryRun);
  }
  const attributes = admissionAttributes(call, "UPDATE", options, {
    object: await request.desired(old),
    oldObject: old,
  });
  await core.admission.admit(attributes, signal);
  let object = dedupeOwnerReferences(attributes.object as KubeObject, call.context, true);
  await call.endpoint.row.authorizeWrite?.(call, object, old, signal);
  object = checkVersion(call, object, old);
  return allocating(call, object, old, options.dryRun, (allocated, stored) =>
    storeChanged(core, call, request, existing, allocated, stored, signal),
  );
}

async function storeChanged(
  core: ServerCore,
  call: ResourceCall,
  { options, rules }: UpdateRequest,
  existing: StoredVersion,
  given: KubeObject,
  onStored: () => void,
  signal: AbortSignal,
): Promise<UpdateResult | undefined> {
  const { row } = call.endpoint;
  const old = existing.object;
  const access = writeAccess(core, call, signal);
  let object = await beforeUpdate(call, given, old, rules, strategyContext(core, call, options.dryRun), access);
  await row.authorizeValid?.(call, object, old, signal);
  await core.admission.validate(admissionAttributes(call, "UPDATE", options, { object, oldObject: old }), signal);
  if (isLastFinalizerGone(object, old) && row.isHeld?.(object) !== true)
    return remove(core, call, existing, object, options.dryRun);
  object = ignoreManagedFieldsTimes(storable(call, object), old);
  if (deepEqual(object, old) && row.strategy.isStoredInPart?.(old) !== true) return { object: old, isCreated: false };
  if (options.dryRun) return { object, isCreated: false };
  checkSize(call, object);
  const table = core.tableOf(row);
  const stored = table.update(existing, (revision) => withResourceVersion(object, revision));
  if (stored === undefined) return undefined;
  onStored();
  if (row.ttlSeconds !== undefined) core.expiry.schedule(table, stored, row.ttlSeconds);
  return { object: stored.object, isCreated: false };
}

/** Without a version the stored one is used, if the kind allows it. Throws a 409 for another version. */
function checkVersion(call: ResourceCall, object: KubeObject, old: KubeObject): KubeObject {
  const { endpoint, name } = call;
  const current = old.metadata?.resourceVersion;
  const given = readVersion(object);
  if (given === current) return object;
  if (given !== "" && given !== "0") throw newConflict(endpoint.groupResource, name, OPTIMISTIC_LOCK);
  if (endpoint.row.strategy.allowUnconditionalUpdate) return withMeta(object, { resourceVersion: current });
  const { group, resource } = endpoint.groupResource;
  const path = field.newPath("metadata", "resourceVersion");
  throw newInvalid({ group, kind: resource }, name, [field.invalid(path, 0, "must be specified for an update")]);
}

/** "" when it is missing. Upstream does not handle an unparsable version here. */
function readVersion({ metadata }: KubeObject): string {
  const given = metadata?.resourceVersion ?? "";
  if (given === "" || /^[0-9]+$/.test(given)) return given;
  throw bareFailure(500, "", `strconv.ParseUint: parsing ${goQuote(given)}: invalid syntax`);
}

/** Upstream: ShouldDeleteDuringUpdate */
function isLastFinalizerGone(object: KubeObject, old: KubeObject): boolean {
  if ((object.metadata?.finalizers?.length ?? 0) > 0) return false;
  return old.metadata?.deletionTimestamp !== undefined && (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function remove(
  core: ServerCore,
  call: ResourceCall,
  existing: StoredVersion,
  object: KubeObject,
  dryRun: boolean,
): UpdateResult | undefined {
  if (dryRun) return { object, isCreated: false };
  const { row } = call.endpoint;
  const gone = core.tableOf(row).delete(existing, (revision) => withResourceVersion(existing.object, revision));
  if (gone === undefined) return undefined;
  row.afterDelete?.(gone.object);
  return { object, isCreated: false };
}
