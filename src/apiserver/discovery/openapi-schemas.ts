// Schemas as OpenAPI components (v3) or definitions (v2): every named type once, referred to by name, with the
// extensions that clients need for merge, apply and explain.

import type { GroupVersionKind } from "#api/object.ts";
import type { Schema } from "#api/schema.ts";
import { METADATA_TYPE, metadataDescriptions } from "./metadata-descriptions.ts";

type Document = Readonly<Record<string, unknown>>;

/** v2 has no defaults and no nullable fields, and allows extensions next to a reference. */
export type OpenApiForm = "v2" | "v3";

export class OpenApiSchemas {
  readonly form: OpenApiForm;
  readonly #components: Record<string, Document> = { __proto__: null as never };

  constructor(form: OpenApiForm) {
    this.form = form;
  }

  /** All types referred to so far, by name. */
  get components(): Readonly<Record<string, Document>> {
    return Object.fromEntries(Object.entries(this.#components).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Adds a kind. A custom kind has no type name, so its name derives from its group. */
  addKind(gvk: GroupVersionKind, schema: Schema, document?: Document): string {
    const name = schema.typeName ?? customName(gvk);
    if (document !== undefined) this.#components[name] = document;
    else if (!Object.hasOwn(this.#components, name)) this.#define(name, schema);
    this.#components[name] = { ...this.#components[name], "x-kubernetes-group-version-kind": [gvkEntry(gvk)] };
    return name;
  }

  /** Adds the list of a kind, for which the tables may have no schema. */
  addList({ group, version, listKind }: ListNames, itemName: string): string {
    const item = this.#components[itemName] as Document;
    // Custom kinds have their own list name, and their fields have no defaults.
    const isCustom = itemName === customName({ group, version, kind: itemName.slice(itemName.lastIndexOf(".") + 1) });
    const name = isCustom ? customName({ group, version, kind: listKind }) : `${itemName}List`;
    const referTo = (type: string): Document => this.#reference(type, isCustom ? {} : { default: {} });
    const selectable = item[SELECTABLE];
    this.#components[name] = {
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: isCustom
          ? this.#reference(LIST_META, { description: "Standard list metadata." })
          : referTo(LIST_META),
        items: { type: "array", items: isCustom ? this.reference(itemName) : referTo(itemName) },
      },
      "x-kubernetes-group-version-kind": [gvkEntry({ group, version, kind: listKind })],
      ...(selectable === undefined ? {} : { [SELECTABLE]: selectable }),
    };
    return name;
  }

  /** Adds a type that is not a kind. */
  addType(schema: Schema): void {
    if (schema.typeName !== undefined && !Object.hasOwn(this.#components, schema.typeName))
      this.#define(schema.typeName, schema);
  }

  #define(name: string, schema: Schema): void {
    // Registered before its fields, because a type may contain itself.
    this.#components[name] = {};
    const content = this.#content(schema);
    this.#components[name] = name === METADATA_TYPE ? this.#described(content) : content;
  }

  #described(content: Document): Document {
    const properties = Object.entries(content.properties as Readonly<Record<string, Document>>).map(([name, field]) => {
      const { $ref, ...rest } = field;
      const refers = $ref === undefined || this.form === "v2" ? field : { allOf: [{ $ref }], ...rest };
      return [name, { description: metadataDescriptions[name], ...refers }];
    });
    return { ...content, properties: Object.fromEntries(properties) };
  }

  #schema(schema: Schema): Document {
    if (schema.typeName === undefined) return this.#content(schema);
    this.addType(schema);
    return this.#reference(schema.typeName, {
      ...(schema.default === undefined ? {} : { default: schema.default }),
      ...extensionsOf(schema),
    });
  }

  reference(name: string): Document {
    return referenceOf(name, this.form);
  }

  /** v3 allows nothing next to a reference. */
  #reference(name: string, beside: Document): Document {
    const refers = this.reference(name);
    if (this.form === "v2") {
      const { default: _, ...rest } = beside;
      return { ...refers, ...rest };
    }
    return Object.keys(beside).length === 0 ? refers : { allOf: [refers], ...beside };
  }

  #content(schema: Schema): Document {
    const { type, format, properties, additionalProperties, items, required } = schema;
    const isV3 = this.form === "v3";
    return {
      ...typeOf(schema, isV3),
      ...(format === undefined || format === "quantity" || schema.intOrString ? {} : { format }),
      ...(type === "object" && properties !== undefined && Object.keys(properties).length > 0
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
      ...(schema.default === undefined || !isV3 ? {} : { default: schema.default }),
      ...(schema.nullable && isV3 ? { nullable: true } : {}),
      ...extensionsOf(schema),
    };
  }
}

interface ListNames extends GroupVersionKind {
  readonly listKind: string;
}

const LIST_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
export const SELECTABLE = "x-kubernetes-selectable-fields";

function typeOf({ type, format, intOrString }: Schema, isV3: boolean): Document {
  const either = (...types: string[]): Document =>
    isV3 ? { oneOf: types.map((each) => ({ type: each })) } : { type: "string" };
  if (intOrString) return { format: "int-or-string", ...either("integer", "string") };
  if (format === "quantity") return either("string", "number");
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

export function referenceOf(name: string, form: OpenApiForm): Document {
  return { $ref: `#/${form === "v3" ? "components/schemas" : "definitions"}/${name}` };
}

export function gvkEntry({ group, version, kind }: GroupVersionKind): Document {
  return { group, kind, version };
}

/** Upstream: the group's labels in reverse, then version and kind. */
function customName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}
