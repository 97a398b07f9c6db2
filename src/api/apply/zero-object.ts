// A Go struct of a kind with no field set, as JSON: fields that are never omitted appear as null, {} or a zero.
// Ownership depends on it: a manager that fills an existing parent does not own that parent. Upstream: encoding/json of
// a new object of the scheme.

import { type GoType, goTypeOfKind } from "#api/go-layout.ts";
import type { GroupVersionKind } from "#api/object.ts";
import type { JsonObject } from "#api/patch/json-value.ts";

/** Undefined if the kind is not built in: custom resources start empty. */
export function zeroObject(gvk: GroupVersionKind): JsonObject | undefined {
  const type = goTypeOfKind(gvk);
  return type === undefined ? undefined : (zeroOf(type) as JsonObject);
}

function zeroOf(type: GoType): unknown {
  switch (type.kind) {
    case "struct":
      return Object.fromEntries(type.fields.flatMap(zeroFields));
    case "opaque":
      return type.opaque === "Quantity" ? "0" : type.opaque === "IntOrString" ? 0 : null;
    case "string":
      return "";
    case "bool":
      return false;
    case "pointer":
    case "slice":
    case "map":
      return null;
    default:
      return 0;
  }
}

type Field = Extract<GoType, { kind: "struct" }>["fields"][number];

function zeroFields(field: Field): [string, unknown][] {
  if (field.inline) return Object.entries(zeroOf(field.type) as JsonObject);
  // omitempty never omits a struct.
  const isStruct = field.type.kind === "struct" || field.type.kind === "opaque";
  return field.omitZero || (field.omitEmpty && !isStruct) ? [] : [[field.jsonName, zeroOf(field.type)]];
}
