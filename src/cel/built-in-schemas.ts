// The schemas of built-in kinds in the form for type checks of rules. A recursive kind ends in an object without
// fields, like upstream's references. Upstream: k8s.io/apiserver/pkg/cel/openapi/resolver, PopulateRefs.

import type { Schema } from "#api/schema.ts";
import type { JSONSchemaProps } from "./json-schema.ts";

export function jsonSchemaOf(schema: Schema, above: ReadonlySet<string> = new Set()): JSONSchemaProps {
  const { type, format, properties, additionalProperties, items, typeName } = schema;
  if (schema.intOrString) return { "x-kubernetes-int-or-string": true };
  // A string or a number: upstream gives it no type, so rules cannot use it.
  if (format === "quantity") return {};
  if (typeName !== undefined && above.has(typeName)) return { type: "object" };
  const below = typeName === undefined ? above : new Set([...above, typeName]);
  return {
    ...(type === undefined ? {} : { type }),
    ...(format === undefined ? {} : { format }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, jsonSchemaOf(property, below)]),
          ),
        }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: jsonSchemaOf(additionalProperties, below) }
      : {}),
    ...(items === undefined ? {} : { items: jsonSchemaOf(items, below) }),
  };
}
