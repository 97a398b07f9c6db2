// Tracks the owners of fields on every write, in the version of the write. The fixed parts of a kind, version and
// subresource are computed once.

import { type ApplyKind, applyKind } from "#api/apply/apply-kind.ts";
import { withObjectMeta } from "#api/apply/atoms.ts";
import { applyPatch, updateManagedFields } from "#api/apply/field-manager.ts";
import { anyElement, excludeFields, type FieldFilter, includeFields } from "#api/apply/filters.ts";
import type { KubeObject } from "#api/object.ts";
import { apiVersionOf, parseApiVersion } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { deepEqual, type JsonObject } from "#api/patch/json-value.ts";
import type { Schema } from "#api/schema.ts";
import { formatTime } from "#api/time.ts";
import type { UpdateStrategy } from "#kinds/strategy.ts";
import type { ResourceCall, ServerCore } from "./core.ts";
import type { Endpoint, KindVersion } from "./registry.ts";
import { headerOf } from "./request-context.ts";

const MANAGER_LENGTH_MAX = 128;

/** The manager of a write: as given, or derived from the user agent. Upstream: handlers/create.go */
export function managerOf(call: ResourceCall, fieldManager: string): string {
  if (fieldManager !== "") return fieldManager;
  const agent = headerOf(call.context.request, "user-agent");
  const slash = agent.indexOf("/");
  const product = slash < 0 ? agent : agent.slice(0, slash);
  const printable = /^[ -~]*$/.test(product) ? product : product.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "");
  return printable.slice(0, MANAGER_LENGTH_MAX);
}

/** The object in the stored form, with its managed fields after a write other than apply. */
export function recordUpdate(
  core: ServerCore,
  call: ResourceCall,
  live: KubeObject | undefined,
  object: KubeObject,
  manager: string,
): KubeObject {
  const { endpoint } = call;
  const kind = applyKindOf(endpoint, call.subresource);
  if (kind === undefined) return object;
  // Upstream cannot compare an object that a write turned into another group or kind, and then drops all owners.
  if (endpoint.row.isCustom) {
    const { group } = parseApiVersion(object.apiVersion ?? "");
    const isOther = group !== endpoint.version.group || (object.kind ?? "") !== endpoint.version.kind;
    if (isOther) return withMeta(object, { managedFields: undefined });
  }
  const inRequestVersion = (stored: KubeObject): JsonObject =>
    (endpoint.isStoredVersion ? stored : endpoint.version.fromStored(stored)) as JsonObject;
  const { managedFields } = object.metadata ?? {};
  // An empty list requests the removal of all owners, and must survive the conversion.
  const updated =
    managedFields?.length === 0
      ? (withMeta(inRequestVersion(object) as unknown as KubeObject, { managedFields }) as unknown as JsonObject)
      : inRequestVersion(object);
  const result = updateManagedFields(kind, {
    live: live && inRequestVersion(live),
    updated,
    manager,
    now: formatTime(call.context.receivedMs),
  });
  if (result.error !== undefined) {
    const { name, namespace } = object.metadata ?? {};
    core.log.error(result.error, "[SHOULD NOT HAPPEN] failed to update managedFields", { name, namespace });
  }
  if (endpoint.isStoredVersion) return result.object as KubeObject;
  return withMeta(object, { managedFields: (result.object as KubeObject).metadata?.managedFields });
}

/** A server-side apply: the object in the request's version, before decoding and defaults. */
export function applyTo(
  call: ResourceCall,
  live: KubeObject | undefined,
  patch: unknown,
  manager: string,
  force: boolean,
): KubeObject {
  const { endpoint } = call;
  const kind = applyKindOf(endpoint, call.subresource);
  if (kind === undefined) return patch as KubeObject;
  const before = live && (endpoint.isStoredVersion ? live : endpoint.version.fromStored(live));
  const now = formatTime(call.context.receivedMs);
  return applyPatch(kind, { live: before as JsonObject | undefined, patch, manager, force, now }) as KubeObject;
}

/**
 * A write that changes only the times of managed fields counts as no change.
 * Upstream: endpoints/handlers/fieldmanager/equality.go, IgnoreManagedFieldsTimestampsTransformer
 */
export function ignoreManagedFieldsTimes(object: KubeObject, old: KubeObject): KubeObject {
  const fields = object.metadata?.managedFields;
  const oldFields = old.metadata?.managedFields;
  if (fields === oldFields || fields === undefined || oldFields === undefined || fields.length !== oldFields.length)
    return object;
  const withoutTimes = (entries: typeof fields): unknown => entries.map(({ time, ...entry }) => entry);
  if (!deepEqual(withoutTimes(fields), withoutTimes(oldFields))) return object;
  const restored = withMeta(object, { managedFields: oldFields });
  return deepEqual(restored, old) ? restored : object;
}

const kinds = new WeakMap<Endpoint, Map<string, ApplyKind | undefined>>();

function applyKindOf(endpoint: Endpoint, subresource: string): ApplyKind | undefined {
  let bySubresource = kinds.get(endpoint);
  if (bySubresource === undefined) {
    bySubresource = new Map();
    kinds.set(endpoint, bySubresource);
  }
  if (!bySubresource.has(subresource)) bySubresource.set(subresource, makeApplyKind(endpoint, subresource));
  return bySubresource.get(subresource);
}

function makeApplyKind({ row, version }: Endpoint, subresource: string): ApplyKind | undefined {
  const { group, version: name, kind } = version;
  const schema = schemaOf(version, row.isCustom);
  if (schema === undefined) return undefined;
  const { strategy } = row;
  const rules: UpdateStrategy | undefined = subresource === "" ? strategy : strategy.subresources[subresource];
  const filter = rules && resetFilter(rules);
  const resetFields: Record<string, FieldFilter> = {};
  // Reset fields of custom resources apply only to the request's version.
  const filtered = row.isCustom ? [version] : row.versions;
  if (filter !== undefined) for (const each of filtered) resetFields[apiVersionOf(each)] = filter;
  const find = (apiVersion: string): KindVersion | undefined => {
    const wanted = parseApiVersion(apiVersion);
    // Each group knows only its own types: owners in the other group of events are dropped.
    if (wanted.group !== group) return undefined;
    return row.versions.find((each) => each.group === group && each.version === wanted.version);
  };
  return applyKind({
    gvk: { group, version: name, kind },
    schema,
    ...(subresource === "" ? {} : { subresource }),
    zero: version.zero(),
    resetFields,
    otherVersions: {
      schemaOf: (apiVersion) => {
        const other = find(apiVersion);
        return other && schemaOf(other, row.isCustom);
      },
      convert: (object, apiVersion) => {
        const from = find(String(object.apiVersion));
        const to = find(apiVersion);
        // Upstream's None conversion prunes nothing: a field that the other version lacks is an error.
        if (row.isCustom) return to && { ...object, apiVersion };
        return from && to && (to.fromStored(from.toStored(object as KubeObject)) as JsonObject);
      },
    },
  });
}

const customSchemas = new WeakMap<Schema, Schema>();

/** The known fields of an object: a custom resource's schema may omit the metadata. */
function schemaOf(version: KindVersion, isCustom: boolean): Schema | undefined {
  const schema = version.schema();
  if (schema === undefined || !isCustom) return schema;
  let complete = customSchemas.get(schema);
  if (complete === undefined) {
    complete = withObjectMeta(schema);
    customSchemas.set(schema, complete);
  }
  return complete;
}

function resetFilter({ resetFields, resetFieldsFilter }: UpdateStrategy): FieldFilter | undefined {
  if (resetFieldsFilter !== undefined) {
    return includeFields(...resetFieldsFilter.map((path) => path.map((step) => (step === "*" ? anyElement : step))));
  }
  return resetFields === undefined ? undefined : excludeFields(...resetFields);
}
