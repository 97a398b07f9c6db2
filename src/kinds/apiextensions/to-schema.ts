// The schema of a custom resource in the form that patches and apply read.
// Upstream: apiextensions-apiserver/pkg/controller/openapi/builder, as far as structured merge reads it

import type { Schema, SchemaType } from "#api/schema.ts";
import { itemsOf, type JSONSchemaProps, valuesOf } from "#cel/json-schema.ts";

export function toSchema(schema: JSONSchemaProps): Schema {
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  const listType = schema["x-kubernetes-list-type"];
  const mapType = schema["x-kubernetes-map-type"];
  const keys = schema["x-kubernetes-list-map-keys"];
  const hasValues = values !== undefined || schema.additionalProperties === true;
  return {
    ...(schema.type ? { type: schema.type as SchemaType } : {}),
    ...(schema.format ? { format: schema.format } : {}),
    ...(schema.properties === undefined ? {} : { properties: toProperties(schema.properties) }),
    ...(hasValues ? { additionalProperties: values === undefined ? true : toSchema(values) } : {}),
    ...(items === undefined ? {} : { items: toSchema(items) }),
    ...(schema.required === undefined ? {} : { required: schema.required }),
    ...(schema.enum === undefined ? {} : { enum: schema.enum }),
    ...(schema.default === undefined || schema.default === null ? {} : { default: schema.default }),
    ...(schema.nullable ? { nullable: true } : {}),
    ...(isListType(listType) ? { listType } : {}),
    ...(keys === undefined ? {} : { listMapKeys: keys }),
    ...(mapType === "atomic" || mapType === "granular" ? { mapType } : {}),
    ...(schema["x-kubernetes-int-or-string"] ? { intOrString: true } : {}),
    ...(schema["x-kubernetes-preserve-unknown-fields"] ? { preserveUnknownFields: true } : {}),
    ...(schema["x-kubernetes-embedded-resource"] ? { embeddedResource: true } : {}),
  };
}

const isListType = (type: string | undefined): type is "atomic" | "set" | "map" =>
  type === "atomic" || type === "set" || type === "map";

function toProperties(properties: Readonly<Record<string, JSONSchemaProps>>): Record<string, Schema> {
  const output: Record<string, Schema> = Object.create(null);
  for (const key of Object.keys(properties)) output[key] = toSchema(properties[key] as JSONSchemaProps);
  return output;
}
