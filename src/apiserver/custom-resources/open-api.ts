// The published OpenAPI schema of a custom resource: the definition's schema plus the standard metadata. Upstream:
// apiextensions-apiserver/pkg/controller/openapi/builder, pkg/controller/openapi/v2

import type { CustomResourceDefinitionVersion } from "#api/generated/types/apiextensions-v1.ts";
import type { JSONSchemaProps } from "#cel/json-schema.ts";
import { METADATA_TYPE } from "../discovery/metadata-descriptions.ts";
import { type OpenApiForm, referenceOf, SELECTABLE } from "../discovery/openapi-schemas.ts";

type Document = Readonly<Record<string, unknown>>;

const TYPE_META: Document = {
  apiVersion: {
    description: "APIVersion defines the version of the schema that this object is written in.",
    type: "string",
  },
  kind: { description: "Kind names the type of this object.", type: "string" },
};

export function openApiOf(version: CustomResourceDefinitionVersion, form: OpenApiForm): Document {
  const schema = version.schema?.openAPIV3Schema;
  const fields = version.selectableFields ?? [];
  const selectable = fields.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, "") }));
  const extensions = selectable.length === 0 ? {} : { [SELECTABLE]: selectable };
  // Otherwise kubectl would refuse unlisted fields of an object that may have any fields.
  const isOpen = schema === undefined || (form === "v2" && schema["x-kubernetes-preserve-unknown-fields"] === true);
  if (isOpen) return { type: "object", ...extensions };
  const { properties, ...rest } = published(schema, form) as { properties?: Document };
  return { ...rest, type: "object", properties: { ...properties, ...metaProperties(form) }, ...extensions };
}

function metaProperties(form: OpenApiForm): Document {
  const refers = referenceOf(METADATA_TYPE, form);
  const description = "Standard object's metadata.";
  return { ...TYPE_META, metadata: form === "v3" ? { description, allOf: [refers] } : { description, ...refers } };
}

function published(schema: JSONSchemaProps, form: OpenApiForm): Document {
  const given = form === "v3" ? withAlternatives(schema) : inOlderForm(schema);
  const { properties, items, additionalProperties, ...rest } = given;
  const below: Record<string, unknown> = Object.fromEntries(Object.entries(rest).filter(([, value]) => isSaid(value)));
  if (properties !== undefined) {
    below.properties = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, published(each as JSONSchemaProps, form)]),
    );
  }
  if (items !== undefined && !Array.isArray(items)) below.items = published(items as JSONSchemaProps, form);
  if (typeof additionalProperties === "object") below.additionalProperties = published(additionalProperties, form);
  else if (additionalProperties !== undefined) below.additionalProperties = additionalProperties;
  const isFree = form === "v2" && schema["x-kubernetes-preserve-unknown-fields"] === true;
  return schema["x-kubernetes-embedded-resource"] && !isFree ? embedded(below, form) : below;
}

/** False for zero values, which Go's types omit. */
const isSaid = (value: unknown): boolean => value !== false && value !== "";

function embedded(schema: Record<string, unknown>, form: OpenApiForm): Document {
  const required = (schema.required as string[] | undefined) ?? [];
  const missing = ["kind", "apiVersion"].filter((name) => !required.includes(name));
  const properties = { ...(schema.properties as Document), ...metaProperties(form) };
  return { ...schema, required: [...required, ...missing], properties };
}

const INT_OR_STRING = [{ type: "integer" }, { type: "string" }] as const;

/** Writes int-or-string as alternatives, which any client understands. */
function withAlternatives(schema: JSONSchemaProps): JSONSchemaProps {
  if (!schema["x-kubernetes-int-or-string"]) return schema;
  const { anyOf, allOf = [] } = schema;
  if (isIntOrString(anyOf) || isIntOrString(allOf[0]?.anyOf)) return schema;
  return anyOf === undefined
    ? { ...schema, anyOf: INT_OR_STRING }
    : { ...schema, allOf: [{ anyOf: INT_OR_STRING }, ...allOf] };
}

const isIntOrString = (alternatives: readonly JSONSchemaProps[] | undefined): boolean =>
  alternatives?.length === 2 && alternatives[0]?.type === "integer" && alternatives[1]?.type === "string";

/**
 * Drops everything that OpenAPI v2 lacks or kubectl misreads there: alternatives, null, defaults, and the fields of
 * schemas that preserve unknown fields.
 */
function inOlderForm(schema: JSONSchemaProps): JSONSchemaProps {
  const { allOf: _1, oneOf: _2, anyOf: _3, not: _4, default: _5, nullable, ...older } = schema;
  const { type, items, properties, required, ...rest } = older;
  const isFree = rest["x-kubernetes-preserve-unknown-fields"] === true;
  const hasInsides = !isFree && !nullable;
  const isUntyped = nullable || (type === "array" && (items === undefined || isFree)) || (type === "object" && isFree);
  const isNullable = (name: string): boolean =>
    hasInsides && (properties?.[name] as JSONSchemaProps | undefined)?.nullable === true;
  const { additionalProperties } = rest;
  const hasNullableValues = typeof additionalProperties === "object" && additionalProperties.nullable === true;
  const needed = hasNullableValues ? [] : (required ?? []).filter((name) => !isNullable(name));
  return {
    ...rest,
    ...(type !== undefined && !isUntyped && { type }),
    ...(items !== undefined && hasInsides && { items }),
    ...(properties !== undefined && hasInsides && { properties }),
    ...(needed.length > 0 && { required: needed }),
  };
}
