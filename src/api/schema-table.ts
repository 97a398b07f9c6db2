// The schemas of the built-in kinds, decoded on first use from generated/schemas.ts (its code is
// described in tools/generate/schemas.ts). One node for each definition and for each distinct
// field: nodes are shared, may be cyclic and are never mutated once handed out.
//
// A Quantity is {type: "string", format: "quantity"}; as upstream, a number is accepted there too.

import { schemaExtras, schemaPackages } from "#api/generated/schemas.ts";
import { lazy } from "#api/lazy.ts";
import type { GroupVersionKind } from "#api/object.ts";
import type { Schema, SchemaType } from "#api/schema.ts";

interface SchemaPackage {
  readonly prefix: string;
  /** Absent for meta and similar packages, whose kinds are in every group and version. */
  readonly groupVersion?: string;
  readonly kinds: readonly string[];
  readonly types: Readonly<Record<string, TypeCode>>;
}

type TypeCode =
  | string
  | { readonly free: 1 }
  | {
      readonly fields: Readonly<Record<string, string>>;
      readonly required?: readonly string[];
      readonly mapType?: "atomic";
    };

const scalars: Readonly<Record<string, Schema>> = {
  s: { type: "string" },
  b: { type: "boolean" },
  i: { type: "integer", format: "int32" },
  l: { type: "integer", format: "int64" },
  d: { type: "number", format: "double" },
  y: { type: "string", format: "byte" },
  "*": {},
};

const zeroOfType: Readonly<Record<SchemaType, unknown>> = {
  object: Object.freeze({}),
  array: Object.freeze([]),
  string: "",
  integer: 0,
  number: 0,
  boolean: false,
};

const metaPackage = "meta.v1";
const packages = new Map<string, SchemaPackage>();
const typeNodes = new Map<string, Schema>();
const fieldNodes = new Map<string, Schema>();
const extras = lazy(() => JSON.parse(schemaExtras) as readonly Partial<Schema>[]);

const packageOfGroupVersion = lazy(() => {
  const index = new Map<string, string>();
  for (const [pkg, json] of Object.entries(schemaPackages)) {
    const groupVersion = /"groupVersion":"([^"]*)"/.exec(json)?.[1];
    if (groupVersion !== undefined) index.set(groupVersion, pkg);
  }
  return index;
});

/** The schema of a built-in kind: also of lists, of subresource kinds such as Scale, and of DeleteOptions in any group. */
export function schemaOf(gvk: GroupVersionKind): Schema | undefined {
  const pkg = packageOfGroupVersion().get(`${gvk.group}/${gvk.version}`);
  if (pkg === undefined) return undefined;
  if (openPackage(pkg).kinds.includes(gvk.kind)) return typeNode(pkg, gvk.kind);
  return openPackage(metaPackage).kinds.includes(gvk.kind) ? typeNode(metaPackage, gvk.kind) : undefined;
}

/** The schema of a definition that may not be a kind: schemaOfType("core.v1", "PodTemplateSpec"). */
export function schemaOfType(pkg: string, name: string): Schema | undefined {
  if (!Object.hasOwn(schemaPackages, pkg)) return undefined;
  return Object.hasOwn(openPackage(pkg).types, name) ? typeNode(pkg, name) : undefined;
}

function openPackage(pkg: string): SchemaPackage {
  let opened = packages.get(pkg);
  if (opened === undefined) {
    opened = JSON.parse(schemaPackages[pkg] as string) as SchemaPackage;
    packages.set(pkg, opened);
  }
  return opened;
}

function typeNode(pkg: string, name: string): Schema {
  const key = `${pkg}/${name}`;
  const known = typeNodes.get(key);
  if (known !== undefined) return known;
  const { prefix, types } = openPackage(pkg);
  const code = types[name] as TypeCode;
  const typeName = prefix + name;
  if (typeof code === "string" || "free" in code) {
    const content: Schema =
      typeof code === "string" ? fieldNode(pkg, code) : { type: "object", preserveUnknownFields: true };
    const node = { ...content, typeName };
    typeNodes.set(key, node);
    return node;
  }
  // The node is registered before its fields are decoded, so that a type may contain itself.
  const properties: Record<string, Schema> = Object.create(null);
  const node: Schema = {
    type: "object",
    typeName,
    properties,
    ...(code.required && { required: code.required }),
    ...(code.mapType && { mapType: code.mapType }),
  };
  typeNodes.set(key, node);
  for (const field of Object.keys(code.fields)) properties[field] = fieldNode(pkg, code.fields[field] as string);
  return node;
}

/** Codes that name a definition mean different nodes in different packages; all others are shared. */
function fieldNode(pkg: string, code: string): Schema {
  const key = code.includes("@") ? `${pkg} ${code}` : code;
  let node = fieldNodes.get(key);
  if (node === undefined) {
    node = decodeField(pkg, code);
    fieldNodes.set(key, node);
  }
  return node;
}

const fieldCode = /^(@(?:([^/!~]+)\/)?([^!~]+)|.)(!?)(?:~(\d+))?(.*)$/;

function decodeField(pkg: string, code: string): Schema {
  const [, sign = "", otherPackage, name, zero, extra, rest = ""] = fieldCode.exec(code) as unknown as string[];
  const base = baseNode(otherPackage ?? pkg, sign, name, rest);
  if (!zero && extra === undefined) return base;
  return {
    ...base,
    ...(zero && base.type && { default: zeroOfType[base.type] }),
    ...(extra !== undefined && extras()[Number(extra)]),
  };
}

function baseNode(pkg: string, sign: string, name: string | undefined, rest: string): Schema {
  if (name !== undefined) return typeNode(pkg, name);
  if (sign === "[") return { type: "array", items: fieldNode(pkg, rest) };
  if (sign === "{") return { type: "object", additionalProperties: rest === "" ? true : fieldNode(pkg, rest) };
  return scalars[sign] as Schema;
}
