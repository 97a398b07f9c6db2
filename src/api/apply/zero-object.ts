// What a Go struct of a kind is before anything is set, as JSON: fields that are never omitted appear
// as null, {} or a zero. Ownership depends on it: a parent that was there before is not owned by who
// fills it. Upstream: encoding/json of a new object of the scheme.

import { type GoType, goTypeOfKind } from "#api/go-layout.ts";
import type { GroupVersionKind } from "#api/object.ts";
import type { JsonObject } from "#api/patch/json-value.ts";

/** Undefined for what is not a built-in kind: custom resources start from nothing. */
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
