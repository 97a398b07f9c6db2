// Sequences of writes by several managers, compared with the real FieldManager, and the fields that creating a Go
// object owns (tools/go/vectors-apply).

import { describe, expect, it } from "vitest";
import type { ManagedFieldsEntry } from "#api/meta.ts";
import { type GroupVersionKind, parseApiVersion } from "#api/object.ts";
import type { JsonObject } from "#api/patch/json-value.ts";
import type { Schema } from "#api/schema.ts";
import { schemaOf } from "#api/schema-table.ts";
import { ApiError } from "#api/status-error.ts";
import vectors from "#test/vectors/apply.json" with { type: "json" };
import { type ApplyKind, applyKind } from "./apply-kind.ts";
import { withObjectMeta } from "./atoms.ts";
import { applyPatch, updateManagedFields } from "./field-manager.ts";
import { anyElement, excludeFields, type FieldFilter, includeFields } from "./filters.ts";
import { zeroObject } from "./zero-object.ts";

type Step = [
  endpoint: string,
  operation: "apply" | "update",
  manager: string,
  force: boolean,
  input: JsonObject,
  object: JsonObject | null,
  managed: [string, string, string, string, 0 | 1 | 2, JsonObject][] | null,
  error: [number, string, [string, string, string][]?] | null,
];
type Create = [apiVersion: string, kind: string, zero: JsonObject, object: JsonObject, fields: JsonObject];

const { sequences, creates, widgets } = vectors as unknown as {
  sequences: [string, Step[]][];
  creates: Create[];
  widgets: unknown[];
};

const OLD = "2026-01-01T00:00:00Z";
const NEW = "2026-06-01T00:00:00Z";

/** OpenAPI with vendor extensions, as a CustomResourceDefinition has it. */
// biome-ignore lint/suspicious/noExplicitAny: walks arbitrary JSON
function fromOpenApi(json: any): Schema {
  const properties = Object.entries(json.properties ?? {}).map(([name, value]) => [name, fromOpenApi(value)]);
  return {
    ...(json.type && { type: json.type }),
    ...(json.format && { format: json.format }),
    ...(json.default !== undefined && { default: json.default }),
    ...(json.properties && { properties: Object.fromEntries(properties) as Record<string, Schema> }),
    ...(json.additionalProperties && { additionalProperties: fromOpenApi(json.additionalProperties) }),
    ...(json.items && { items: fromOpenApi(json.items) }),
    ...(json["x-kubernetes-list-type"] && { listType: json["x-kubernetes-list-type"] }),
    ...(json["x-kubernetes-list-map-keys"] && { listMapKeys: json["x-kubernetes-list-map-keys"] }),
    ...(json["x-kubernetes-map-type"] && { mapType: json["x-kubernetes-map-type"] }),
    ...(json["x-kubernetes-int-or-string"] && { intOrString: true }),
    ...(json["x-kubernetes-preserve-unknown-fields"] && { preserveUnknownFields: true }),
  };
}

const renamed = (object: JsonObject, from: string, to: string): JsonObject => {
  if (!Object.hasOwn(object, from)) return object;
  const { [from]: value, ...rest } = object;
  return { ...rest, [to]: value };
};

function widgetSchema(apiVersion: string, changed: boolean): Schema {
  const schema = withObjectMeta(fromOpenApi(widgets[changed ? 1 : 0]));
  if (apiVersion === "example.com/v1") return schema;
  const spec = schema.properties?.spec as Schema;
  const properties = renamed(spec.properties as unknown as JsonObject, "size", "replicas");
  return { ...schema, properties: { ...schema.properties, spec: { ...spec, properties } as Schema } };
}

/** In version 2 the field size is called replicas. */
function convertWidget(object: JsonObject, apiVersion: string): JsonObject | undefined {
  if (apiVersion !== "example.com/v1" && apiVersion !== "example.com/v2") return undefined;
  if (object.apiVersion === apiVersion) return object;
  const [from, to] = apiVersion === "example.com/v1" ? ["replicas", "size"] : ["size", "replicas"];
  const spec = object.spec as JsonObject | undefined;
  const isMap = typeof spec === "object" && spec !== null && !Array.isArray(spec);
  return { ...object, apiVersion, ...(isMap && { spec: renamed(spec, from as string, to as string) }) };
}

const filters: Record<string, FieldFilter> = {
  "Pod v1": excludeFields(["status"]),
  "Pod v1#status": excludeFields(["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]),
  "Pod v1#resize": includeFields(
    ["spec", "containers", anyElement, "resources"],
    ["spec", "initContainers", anyElement, "resources"],
  ),
  "Deployment apps/v1": excludeFields(["status"]),
  "Deployment apps/v1#status": excludeFields(["spec"], ["metadata", "labels"]),
};

const kinds = new Map<string, ApplyKind>();

function kindFor(name: string, endpoint: string): ApplyKind {
  const key = `${name} ${endpoint}`;
  let kind = kinds.get(key);
  if (kind === undefined) {
    kind = makeKind(name, endpoint, filters[key]);
    kinds.set(key, kind);
  }
  return kind;
}

function makeKind(name: string, endpoint: string, filter: FieldFilter | undefined): ApplyKind {
  const [apiVersion = "", suffix = ""] = endpoint.split("#");
  const gvk: GroupVersionKind = { ...parseApiVersion(apiVersion), kind: name };
  const reset = filter === undefined ? {} : { resetFields: { [apiVersion]: filter } };
  if (name === "Free") return applyKind({ gvk, schema: { type: "object", preserveUnknownFields: true } });
  if (name === "Widget") {
    const schemas = new Map(
      ["example.com/v1", "example.com/v2"].map((version) => [version, widgetSchema(version, suffix === "changed")]),
    );
    const otherVersions = { schemaOf: (version: string) => schemas.get(version), convert: convertWidget };
    return applyKind({ gvk, schema: schemas.get(apiVersion) as Schema, otherVersions });
  }
  return applyKind({ gvk, schema: schemaOf(gvk) as Schema, ...reset, ...(suffix !== "" && { subresource: suffix }) });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}

interface Answer {
  readonly object: JsonObject | null;
  readonly managed: Step[6];
  readonly error: Step[7];
}

function run(name: string, step: Step, live: JsonObject | undefined): Answer & { readonly stored?: JsonObject } {
  const [endpoint, operation, manager, force, input] = step;
  const kind = kindFor(name, endpoint);
  const base = live === undefined ? undefined : (convertWidgetIf(name, live, kind.apiVersion) as JsonObject);
  try {
    let stored: JsonObject;
    if (operation === "apply") {
      stored = applyPatch(kind, { live: base, patch: input, manager, force, now: NEW });
    } else {
      const result = updateManagedFields(kind, { live: base, updated: input, manager, now: NEW });
      if (result.error !== undefined) return { object: null, managed: null, error: [500, "update"] };
      stored = result.object;
    }
    const { managedFields, ...metadata } = stored.metadata as JsonObject & { managedFields?: ManagedFieldsEntry[] };
    const managed = (managedFields ?? []).map(describeEntry);
    const object = { ...stored, metadata };
    return { object: operation === "apply" ? object : null, managed, error: null, stored };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const causes = error.causes.map((cause) => [cause.reason, cause.message, cause.field] as [string, string, string]);
    causes.sort((a, b) => (a[1] + a[2] < b[1] + b[2] ? -1 : 1));
    return { object: null, managed: null, error: [error.code, error.message, causes] };
  }
}

const convertWidgetIf = (name: string, live: JsonObject, apiVersion: string) =>
  name === "Widget" ? convertWidget(live, apiVersion) : live;

function describeEntry(entry: ManagedFieldsEntry): NonNullable<Step[6]>[number] {
  const age = entry.time === undefined ? 0 : entry.time === OLD ? 1 : 2;
  const { manager = "", operation = "", apiVersion = "", subresource = "" } = entry;
  return [manager, operation, apiVersion, subresource, age, entry.fieldsV1 as JsonObject];
}

/** The stored object for the next step. */
function settle(stored: JsonObject): JsonObject {
  const metadata = stored.metadata as { managedFields?: ManagedFieldsEntry[] };
  const managedFields = metadata.managedFields?.map((entry) =>
    entry.time === undefined ? entry : { ...entry, time: OLD },
  );
  return deepFreeze({ ...stored, metadata: { ...metadata, uid: "u", ...(managedFields && { managedFields }) } });
}

/** Upstream answers in its storage version. */
function expected(name: string, [endpoint, operation, , , , object, managed, error]: Step): Answer {
  if (error === null) {
    const { apiVersion } = kindFor(name, endpoint);
    return {
      object: object === null ? null : (convertWidgetIf(name, object, apiVersion) as JsonObject),
      managed,
      error,
    };
  }
  if (operation === "update") return { object: null, managed: null, error: [500, "update"] };
  const [code, message, causes = []] = error;
  return { object: null, managed: null, error: [code, message, causes] };
}

describe("apply agrees with upstream", () => {
  it("over sequences of writes by several managers", () => {
    let steps = 0;
    sequences.forEach(([name, sequence], index) => {
      let live: JsonObject | undefined;
      for (const [n, step] of sequence.entries()) {
        const { stored, ...answer } = run(name, deepFreeze(step), live);
        try {
          expect(answer).toEqual(expected(name, step));
        } catch (error) {
          const what = `sequence ${index} (${name}) step ${n} ${JSON.stringify(step)}\nlive ${JSON.stringify(live)}`;
          throw new Error(`${what}\n${(error as Error).message}`, { cause: error });
        }
        if (stored !== undefined) live = settle(stored);
        steps++;
      }
    });
    expect(steps).toBeGreaterThan(2000);
  });

  it("on the fields that the creation of a Go object owns", () => {
    for (const [apiVersion, kind, zero, object, fields] of creates) {
      const gvk = { ...parseApiVersion(apiVersion), kind };
      const computed = zeroObject(gvk) as JsonObject;
      expect(computed, kind).toEqual(zero);
      const context = applyKind({ gvk, schema: schemaOf(gvk) as Schema, zero: computed });
      const result = updateManagedFields(context, { live: undefined, updated: object, manager: "creator", now: NEW });
      const metadata = result.object.metadata as { managedFields?: ManagedFieldsEntry[] };
      expect(metadata.managedFields?.[0]?.fieldsV1, `${apiVersion} ${kind} ${JSON.stringify(object)}`).toEqual(fields);
    }
  });
});
