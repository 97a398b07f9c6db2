// Schemas as OpenAPI v3 components: every named type once, referred to from everywhere else, with the
// extensions that clients merge, apply and explain by.

import type { GroupVersionKind } from "#api/object.ts";
import type { Schema } from "#api/schema.ts";

type Document = Readonly<Record<string, unknown>>;

export class OpenApiSchemas {
  readonly #components: Record<string, Document> = { __proto__: null as never };

  /** All that was referred to so far, by name. */
  get components(): Readonly<Record<string, Document>> {
    return Object.fromEntries(Object.entries(this.#components).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Adds a kind. A custom one has no type name and gets one from its group. */
  addKind(gvk: GroupVersionKind, schema: Schema, document?: Document): string {
    const name = schema.typeName ?? customName(gvk);
    if (document !== undefined) this.#components[name] = document;
    else if (!Object.hasOwn(this.#components, name)) this.#define(name, schema);
    this.#components[name] = { ...this.#components[name], "x-kubernetes-group-version-kind": [gvkEntry(gvk)] };
    return name;
  }

  /** The list of a kind, whose own schema the tables may lack. */
  addList(gvk: GroupVersionKind, itemName: string): string {
    const name = `${itemName}List`;
    this.#components[name] = {
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { allOf: [reference("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta")], default: {} },
        items: { type: "array", items: { allOf: [reference(itemName)], default: {} } },
      },
      "x-kubernetes-group-version-kind": [gvkEntry({ ...gvk, kind: `${gvk.kind}List` })],
    };
    return name;
  }

  /** A type that is no kind of its own here. */
  addType(schema: Schema): void {
    if (schema.typeName !== undefined && !Object.hasOwn(this.#components, schema.typeName))
      this.#define(schema.typeName, schema);
  }

  #define(name: string, schema: Schema): void {
    // Known before its fields, so that a type may contain itself.
    this.#components[name] = {};
    this.#components[name] = this.#content(schema);
  }

  #schema(schema: Schema): Document {
    if (schema.typeName === undefined) return this.#content(schema);
    this.addType(schema);
    const extensions = extensionsOf(schema);
    const refers = reference(schema.typeName);
    if (schema.default === undefined && Object.keys(extensions).length === 0) return refers;
    return { allOf: [refers], ...(schema.default === undefined ? {} : { default: schema.default }), ...extensions };
  }

  #content(schema: Schema): Document {
    const { type, format, properties, additionalProperties, items, required } = schema;
    return {
      ...typeOf(schema),
      ...(format === undefined || format === "quantity" || schema.intOrString ? {} : { format }),
      ...(type === "object" && properties !== undefined
        ? {
            properties: Object.fromEntries(
              Object.entries(properties).map(([key, value]) => [key, this.#schema(value)]),
            ),
          }
        : {}),
      ...(additionalProperties === undefined
        ? {}
        : { additionalProperties: additionalProperties === true ? {} : this.#schema(additionalProperties) }),
      ...(items === undefined ? {} : { items: this.#schema(items) }),
      ...(required === undefined || required.length === 0 ? {} : { required }),
      ...(schema.enum === undefined ? {} : { enum: schema.enum }),
      ...(schema.default === undefined ? {} : { default: schema.default }),
      ...(schema.nullable ? { nullable: true } : {}),
      ...extensionsOf(schema),
    };
  }
}

function typeOf({ type, format, intOrString }: Schema): Document {
  if (intOrString) return { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] };
  if (format === "quantity") return { oneOf: [{ type: "string" }, { type: "number" }] };
  return type === undefined ? {} : { type };
}

function extensionsOf(schema: Schema): Document {
  return {
    ...(schema.listType === undefined ? {} : { "x-kubernetes-list-type": schema.listType }),
    ...(schema.listMapKeys === undefined ? {} : { "x-kubernetes-list-map-keys": schema.listMapKeys }),
    ...(schema.mapType === undefined ? {} : { "x-kubernetes-map-type": schema.mapType }),
    ...(schema.patchStrategy === undefined ? {} : { "x-kubernetes-patch-strategy": schema.patchStrategy.join(",") }),
    ...(schema.patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": schema.patchMergeKey }),
    ...(schema.intOrString && schema.typeName === undefined ? { "x-kubernetes-int-or-string": true } : {}),
    ...(schema.preserveUnknownFields ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(schema.embeddedResource ? { "x-kubernetes-embedded-resource": true } : {}),
  };
}

export const reference = (name: string): Document => ({ $ref: `#/components/schemas/${name}` });

export function gvkEntry({ group, version, kind }: GroupVersionKind): Document {
  return { group, kind, version };
}

/** Upstream: the group's labels in reverse, then version and kind. */
function customName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}
