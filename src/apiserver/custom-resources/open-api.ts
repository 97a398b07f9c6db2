// The schema of a custom resource as OpenAPI publishes it: what the definition says, with the metadata
// that every object has. Upstream: apiextensions-apiserver/pkg/controller/openapi/builder

import type { JSONSchemaProps } from "#cel/json-schema.ts";

type Document = Readonly<Record<string, unknown>>;

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const reference = (name: string): Document => ({ $ref: `#/components/schemas/${name}` });

const TYPE_META: Document = {
  apiVersion: { description: "The version of the schema that this object is written in.", type: "string" },
  kind: { description: "The kind of this object.", type: "string" },
};

export function openApiOf(schema: JSONSchemaProps | undefined): Document {
  if (schema === undefined) return { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const { properties, ...rest } = published(schema) as { properties?: Document };
  const metadata = { description: "Standard object's metadata.", allOf: [reference(META)] };
  return { ...rest, type: "object", properties: { ...properties, ...TYPE_META, metadata } };
}

function published(schema: JSONSchemaProps): Document {
  const { properties, items, additionalProperties, ...rest } = schema;
  const below: Record<string, unknown> = { ...rest };
  if (properties !== undefined) {
    below.properties = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, published(each as JSONSchemaProps)]),
    );
  }
  if (items !== undefined && !Array.isArray(items)) below.items = published(items as JSONSchemaProps);
  if (typeof additionalProperties === "object") below.additionalProperties = published(additionalProperties);
  else if (additionalProperties !== undefined) below.additionalProperties = additionalProperties;
  if (schema["x-kubernetes-embedded-resource"]) {
    below.properties = { ...(below.properties as Document), ...TYPE_META, metadata: { allOf: [reference(META)] } };
  }
  return below;
}
