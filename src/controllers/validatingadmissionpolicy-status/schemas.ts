// The type of a kind's objects: for a built-in kind from the program's schemas, for another kind from the server's
// OpenAPI documents. Upstream: k8s.io/apiserver/pkg/cel/openapi/resolver.

import type { GroupVersionKind } from "#api/object.ts";
import { schemaOf } from "#api/schema-table.ts";
import { jsonSchemaOf } from "#cel/built-in-schemas.ts";
import { itemsOf, type JSONSchemaProps, valuesOf } from "#cel/json-schema.ts";
import { celType } from "#cel/schema-types.ts";
import type { Type } from "#cel/types.ts";
import type { Client } from "#client/client.ts";
import { decodeJson, decodeText } from "#client/codec.ts";
import { groupVersionPath } from "#client/paths.ts";
import { untyped } from "./type-check.ts";

/** Undefined: the server has no schema for the kind. */
export async function typeOfKind(
  kind: GroupVersionKind,
  client: Client,
  signal: AbortSignal,
): Promise<Type | undefined> {
  const builtIn = schemaOf(kind);
  const schema = builtIn === undefined ? await describedSchema(kind, client, signal) : jsonSchemaOf(builtIn);
  return schema === undefined ? undefined : (celType(schema, true, kind.kind) ?? untyped);
}

type OpenApiSchema = JSONSchemaProps & {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
};

type Schemas = Readonly<Record<string, OpenApiSchema>>;

interface OpenApiRoot {
  readonly paths?: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

interface OpenApiDocument {
  readonly components?: { readonly schemas?: Schemas };
}

async function describedSchema(
  kind: GroupVersionKind,
  client: Client,
  signal: AbortSignal,
): Promise<JSONSchemaProps | undefined> {
  const { paths = {} } = await document<OpenApiRoot>(client, "/openapi/v3", signal);
  const url = paths[groupVersionPath(kind).slice(1)]?.serverRelativeURL;
  if (url === undefined) return undefined;
  const { components } = await document<OpenApiDocument>(client, url, signal);
  const schemas = components?.schemas ?? {};
  const isOf = (schema: OpenApiSchema): boolean =>
    (schema["x-kubernetes-group-version-kind"] ?? []).some(
      ({ group, version, kind: name }) => group === kind.group && version === kind.version && name === kind.kind,
    );
  const found = Object.entries(schemas).find(([, schema]) => isOf(schema));
  return found && resolved(found[1], schemas, new Set([found[0]]));
}

async function document<T>(client: Client, url: string, signal: AbortSignal): Promise<T> {
  const [path = "", query = ""] = url.split("?");
  const request = { method: "GET", path, ...(query === "" ? {} : { query }), accept: "application/json" };
  return decodeJson(decodeText((await client.raw(request, signal)).bytes)) as T;
}

const REFERENCE = "#/components/schemas/";

/** The schema with references resolved. A recursive schema ends in an object without fields. */
function resolved(schema: OpenApiSchema, schemas: Schemas, above: ReadonlySet<string>): JSONSchemaProps {
  const reference = referenceOf(schema);
  if (reference !== undefined) {
    const target = schemas[reference];
    if (target === undefined) throw new Error(`internal error: cannot resolve Ref "${REFERENCE}${reference}"`);
    if (above.has(reference)) return { type: "object" };
    return resolved(target, schemas, new Set([...above, reference]));
  }
  const below = (part: JSONSchemaProps): JSONSchemaProps => resolved(part as OpenApiSchema, schemas, above);
  const { properties } = schema;
  const [items, values] = [itemsOf(schema), valuesOf(schema)];
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, below(part)])) }),
    ...(items === undefined ? {} : { items: below(items) }),
    ...(values === undefined ? {} : { additionalProperties: below(values) }),
  };
}

/** A reference may be inside allOf, so that it can have a description. */
function referenceOf({ $ref, allOf = [] }: OpenApiSchema): string | undefined {
  if ($ref !== undefined) return $ref.startsWith(REFERENCE) ? $ref.slice(REFERENCE.length) : $ref;
  for (const part of allOf) {
    const reference = referenceOf(part);
    if (reference !== undefined) return reference;
  }
  return undefined;
}
