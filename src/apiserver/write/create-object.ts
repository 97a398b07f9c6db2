// Stores a new object: name, strategy, validating admission, store.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go, Create

import type { KubeObject } from "#api/object.ts";
import { withResourceVersion } from "#api/object-meta.ts";
import {
  ApiError,
  bareFailure,
  isAlreadyExists,
  newAlreadyExists,
  newGenerateNameConflict,
} from "#api/status-error.ts";
import { checkName } from "../addressed-object.ts";
import { admissionAttributes, keyOf, type ResourceCall, type ServerCore, strategyContext } from "../core.ts";
import type { StoredVersion } from "../storage/storage.ts";
import type { WriteOptions } from "../write-options.ts";
import { allocating } from "./allocating.ts";
import { beforeCreate, fillSystemFields } from "./before-create.ts";
import { checkSize } from "./object-size.ts";
import { storable } from "./storable.ts";

/** How often a taken generated name is generated again. */
const NAME_ATTEMPTS_MAX = 8;

/**
 * The stored object; with a dry run the object that would be stored. Its managed fields are up to date, and mutating
 * admission has run.
 */
export async function createObject(
  core: ServerCore,
  call: ResourceCall,
  object: KubeObject,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<KubeObject> {
  const isGenerated = !object.metadata?.name && !!object.metadata?.generateName;
  for (let attempt = 1; ; attempt++) {
    try {
      return await createOnce(core, call, object, options, signal);
    } catch (error) {
      if (!isGenerated || attempt >= NAME_ATTEMPTS_MAX || !isAlreadyExists(error)) throw error;
    }
  }
}

/** One attempt. An update that turns into a create checks the permission to create once its object is valid. */
export async function createOnce(
  core: ServerCore,
  call: ResourceCall,
  given: KubeObject,
  options: WriteOptions,
  signal: AbortSignal,
  authorize?: () => Promise<void>,
): Promise<KubeObject> {
  const { dryRun } = options;
  const filled = fillSystemFields(core, call, given);
  return allocating(call, filled, undefined, dryRun, async (allocated, stored) => {
    const object = beforeCreate(call, allocated, strategyContext(core, call, dryRun));
    await call.endpoint.row.authorizeValid?.(call, object, undefined, signal);
    await authorize?.();
    await core.admission.validate(admissionAttributes(call, "CREATE", options, { object }), signal);
    // Upstream's update does not check the version of an object that it creates.
    if (!dryRun && authorize === undefined) refuseVersion(object);
    const created = storeNew(core, call, object, dryRun);
    stored();
    return created;
  });
}

/** Upstream: storage/etcd3/store.go, Create, which ignores versions that are not positive numbers. */
function refuseVersion({ metadata }: KubeObject): void {
  if (/^0*[1-9][0-9]*$/.test(metadata?.resourceVersion ?? "")) {
    throw bareFailure(500, "", "resourceVersion should not be set on objects to be created");
  }
}

/** Throws a 409 if the name is taken. */
function storeNew(core: ServerCore, call: ResourceCall, given: KubeObject, dryRun: boolean): KubeObject {
  const { row } = call.endpoint;
  const name = given.metadata?.name ?? "";
  checkName(name);
  const key = keyOf(row, call.namespace, name);
  const table = core.tableOf(row);
  const existing = table.get(key);
  if (existing !== undefined) throw alreadyExists(call, given, existing);
  const object = storable(call, given);
  // The client's version stays: upstream's dry run ends before the store, which would remove it.
  if (dryRun) return object;
  checkSize(call, object);
  const stored = table.create(key, (revision) => withResourceVersion(object, revision)) as StoredVersion;
  if (row.ttlSeconds !== undefined) core.expiry.schedule(table, stored, row.ttlSeconds);
  return stored.object;
}

function alreadyExists(call: ResourceCall, object: KubeObject, existing: StoredVersion): ApiError {
  const { groupResource } = call.endpoint;
  const { name = "", generateName = "" } = object.metadata ?? {};
  const error =
    generateName === "" ? newAlreadyExists(groupResource, name) : newGenerateNameConflict(groupResource, name, 1);
  if (existing.object.metadata?.deletionTimestamp === undefined) return error;
  return new ApiError({ ...error.status, message: `object is being deleted: ${error.message}` });
}
