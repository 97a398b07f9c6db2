// Go structs by JSON name, and the values that Go writes for missing fields.

import type { GoField, GoStruct, GoType } from "./go-layout.ts";

export interface StructIndex {
  /** With inline structs flattened. */
  readonly byName: ReadonlyMap<string, IndexedField>;
  /** Fields that Go writes even when they are missing. */
  readonly always: readonly { readonly name: string; readonly zero: unknown }[];
}

export interface IndexedField {
  readonly field: GoField;
  /** The struct in Go's errors, and the text between the path and the field's name. */
  readonly owner: string;
  readonly inlinePath: string;
}

const indexes = new WeakMap<GoStruct, StructIndex>();

export function indexOf(type: GoStruct): StructIndex {
  let index = indexes.get(type);
  if (index === undefined) {
    const byName = new Map<string, IndexedField>();
    const always: { name: string; zero: unknown }[] = [];
    addFields(type, "", byName, always);
    index = { byName, always };
    indexes.set(type, index);
  }
  return index;
}

function addFields(
  type: GoStruct,
  inlinePath: string,
  byName: Map<string, IndexedField>,
  always: { name: string; zero: unknown }[],
): void {
  for (const field of type.fields) {
    if (field.inline) {
      const inner = field.type.kind === "pointer" ? field.type.elem : field.type;
      if (inner.kind === "struct") addFields(inner, `${inlinePath}${field.goName}.`, byName, always);
      continue;
    }
    byName.set(field.jsonName, { field, owner: shortName(type), inlinePath });
    const zero = zeroThatIsWritten(field);
    if (zero !== undefined) always.push({ name: field.jsonName, zero });
  }
}

/** Undefined: Go omits the zero value. A time is a struct in Go, which is never empty. */
function zeroThatIsWritten({ type, omitEmpty, omitZero }: GoField): unknown {
  if (omitZero) return undefined;
  if (type.kind === "struct") return zeroStruct(type);
  if (type.kind === "opaque" && (type.opaque === "Time" || type.opaque === "MicroTime")) return null;
  if (omitEmpty) return undefined;
  switch (type.kind) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "int":
    case "uint8":
    case "float64":
      return 0;
    case "opaque":
      return type.opaque === "Quantity" ? "0" : type.opaque === "IntOrString" ? 0 : null;
    default:
      return null;
  }
}

/** Go's output for a struct without given fields. */
function zeroStruct(type: GoStruct): Readonly<Record<string, unknown>> {
  const value: Record<string, unknown> = {};
  for (const { name, zero } of indexOf(type).always) value[name] = zero;
  return Object.freeze(value);
}

/** Go's output for an object without given fields, including nulls. */
export function zeroObject(type: GoStruct): Readonly<Record<string, unknown>> {
  const value: Record<string, unknown> = {};
  for (const [name, { field }] of indexOf(type).byName) {
    if (field.type.kind === "struct" && !field.omitZero) value[name] = zeroObject(field.type);
    else {
      const zero = zeroThatIsWritten(field);
      if (zero !== undefined) value[name] = zero;
    }
  }
  return value;
}

/** null in a list or map of plain values is Go's zero value. */
export function elementZero(type: GoType): unknown {
  switch (type.kind) {
    case "string":
      return "";
    case "bool":
      return false;
    case "struct":
      return zeroStruct(type);
    case "slice":
      return type.elem.kind === "uint8" ? "" : [];
    case "map":
      return {};
    case "opaque":
      return type.opaque === "Quantity" ? "0" : null;
    case "pointer":
      return null;
    default:
      return 0;
  }
}

/** "PodSpec" of "v1.PodSpec". */
function shortName(type: GoStruct): string {
  return type.name.slice(type.name.lastIndexOf(".") + 1);
}
