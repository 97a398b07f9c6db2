// A schema in the form for apply: each node can be a scalar, a list or a map, with its rules of ownership. Compiled
// from Schema on first use, field by field, and shared.
// Upstream: k8s.io/kube-openapi pkg/schemaconv; structured-merge-diff schema/elements.go

import type { Schema } from "#api/schema.ts";
import { schemaOfType } from "#api/schema-table.ts";

export type ScalarType = "numeric" | "string" | "boolean" | "untyped";

export interface Atom {
  readonly scalar?: ScalarType;
  readonly list?: ListAtom;
  readonly map?: MapAtom;
}

export interface ListAtom {
  /** Elements have separate owners; otherwise the list is owned as a whole. */
  readonly associative: boolean;
  /** Sorted. Empty in an associative list: a set of scalars. */
  readonly keys: readonly string[];
  /** In the order of the schema, for error texts. */
  readonly declaredKeys: readonly string[];
  /** The default of an absent key; undefined for none. */
  readonly keyDefaults: readonly unknown[];
  readonly element: Atom;
}

export interface MapAtom {
  readonly atomic: boolean;
  /** The type of a declared field. */
  field(name: string): Atom | undefined;
  /** The type of all other keys; undefined if they are not allowed. */
  readonly element: Atom | undefined;
  /** The content is unknown, so a change of the schema cannot affect it. */
  readonly isDeduced: boolean;
}

const noField = (): undefined => undefined;

function untyped(element: (self: Atom) => Atom, atomic: boolean): Atom {
  const self: { scalar: ScalarType; list?: ListAtom; map?: MapAtom } = { scalar: "untyped" };
  const items = atomic ? self : untypedAtomic;
  self.list = { associative: false, keys: [], declaredKeys: [], keyDefaults: [], element: items };
  self.map = { atomic, field: noField, element: element(self), isDeduced: !atomic };
  return self;
}

/** Any value, owned as a whole. */
const untypedAtomic: Atom = untyped((self) => self, true);
/** Any value; maps are owned by key, lists as a whole. */
const deduced: Atom = untyped((self) => self, false);

const compiled = new WeakMap<Schema, Atom>();
const compiledPreserving = new WeakMap<Schema, Atom>();

/** `preserve`: an ancestor within the same definition preserves unknown fields. */
export function atomOf(schema: Schema, preserve = false): Atom {
  const cache = preserve ? compiledPreserving : compiled;
  let atom = cache.get(schema);
  if (atom === undefined) {
    atom = compile(schema, preserve || schema.preserveUnknownFields === true);
    cache.set(schema, atom);
  }
  return atom;
}

function compile(schema: Schema, preserve: boolean): Atom {
  if (schema.format === "quantity" || schema.typeName?.endsWith(".resource.Quantity")) return { scalar: "untyped" };
  if (schema.typeName?.endsWith(".runtime.RawExtension")) return untypedAtomic;
  switch (schema.type) {
    case "object":
      return { map: mapAtom(schema, preserve) };
    case "array":
      return { list: listAtom(schema, preserve) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    case "string":
      return { scalar: schema.format === undefined || schema.format === "byte" ? "string" : "untyped" };
    default:
      return { scalar: "untyped", list: listAtom(schema, preserve), map: mapAtom(schema, preserve) };
  }
}

/** A separate definition does not inherit from the place that refers to it. */
const child = (schema: Schema, preserve: boolean): Atom => atomOf(schema, preserve && schema.typeName === undefined);

function mapAtom(schema: Schema, preserve: boolean): MapAtom {
  const properties = schema.embeddedResource ? { ...embeddedProperties(), ...schema.properties } : schema.properties;
  const fields: Record<string, Atom> = Object.create(null);
  const hasFields = properties !== undefined && Object.keys(properties).length > 0;
  const additional = schema.additionalProperties;
  let element: Atom | undefined;
  if (additional === undefined ? preserve || !hasFields : additional === true) element = deduced;
  else if (additional !== undefined && additional !== true) element = child(additional, preserve);
  return {
    atomic: schema.mapType === "atomic",
    field: hasFields
      ? (name) => {
          const known = fields[name];
          if (known !== undefined || !Object.hasOwn(properties, name)) return known;
          const atom = child(properties[name] as Schema, preserve);
          fields[name] = atom;
          return atom;
        }
      : noField,
    element,
    isDeduced: !hasFields && (element === deduced || (element?.scalar === "untyped" && element.map === undefined)),
  };
}

const string: Schema = { type: "string" };

/** An embedded object, like the root of a custom resource, always has metadata, even if its schema lacks it. */
function embeddedProperties(): Readonly<Record<string, Schema>> {
  return { apiVersion: string, kind: string, metadata: schemaOfType("meta.v1", "ObjectMeta") ?? { type: "object" } };
}

/** The schema of a custom resource with the metadata of every object. */
export function withObjectMeta(schema: Schema): Schema {
  const properties = Object.assign(Object.create(null), schema.properties, embeddedProperties());
  return { ...schema, type: "object", properties };
}

function listAtom(schema: Schema, preserve: boolean): ListAtom {
  const element = schema.items === undefined ? untypedAtomic : child(schema.items, preserve);
  const { associative, keys } = relationship(schema);
  const sorted = [...keys].sort();
  const keyDefaults = sorted.map((key) => schema.items?.properties?.[key]?.default);
  return { associative, keys: sorted, declaredKeys: keys, keyDefaults, element };
}

function relationship(schema: Schema): { associative: boolean; keys: readonly string[] } {
  if (schema.listType === "map") return { associative: true, keys: schema.listMapKeys ?? [] };
  if (schema.listType !== undefined) return { associative: schema.listType === "set", keys: [] };
  // Older fields express list types through their patch strategy.
  const associative = schema.patchStrategy?.includes("merge") ?? false;
  return { associative, keys: associative && schema.patchMergeKey !== undefined ? [schema.patchMergeKey] : [] };
}

export type AtomKind = "scalar" | "list" | "map";

/** The form that an atom uses for a value; a value that fits none gets the first form, which refuses it. */
export function kindFor(atom: Atom, value: unknown): AtomKind {
  if (value !== null && value !== undefined) {
    const kind = Array.isArray(value) ? "list" : typeof value === "object" ? "map" : "scalar";
    if (atom[kind] !== undefined) return kind;
  }
  return atom.map !== undefined ? "map" : atom.scalar !== undefined ? "scalar" : "list";
}
