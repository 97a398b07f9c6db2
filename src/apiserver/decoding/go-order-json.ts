// JSON as Go's encoder and its patch library would print it: fields of structs in the order of their
// declaration, keys of maps sorted; where a patch has touched an object, its keys are sorted as well.
// Only messages need it: they quote the patched object.

import type { GoField, GoStruct, GoType } from "#api/go-layout.ts";
import { goJson } from "#api/go-text.ts";

type Json = Readonly<Record<string, unknown>>;

/** `current` is what the patch was applied to; parts that the patch left alone are shared with it. */
export function patchedJson(patched: unknown, current: unknown, type: GoType | undefined): string {
  if (patched === current) return inGoOrder(patched, type);
  const inner = type?.kind === "pointer" ? type.elem : type;
  if (Array.isArray(patched) && Array.isArray(current)) {
    const known = new Set<unknown>(current);
    const elem = inner?.kind === "slice" ? inner.elem : undefined;
    return `[${patched.map((item) => (known.has(item) ? inGoOrder(item, elem) : goJson(item))).join(",")}]`;
  }
  if (!isObject(patched) || !isObject(current)) return goJson(patched);
  const members = Object.keys(patched)
    .sort()
    .map((key) => `${goJson(key)}:${patchedJson(patched[key], current[key], memberType(inner, key))}`);
  return `{${members.join(",")}}`;
}

/**
 * The result of a merge patch: whatever the patch names is sorted, even where it changes nothing, except a list
 * or a value in the place of something else, which stays as it came.
 */
export function mergedJson(patched: unknown, current: unknown, patch: unknown, type: GoType | undefined): string {
  const inner = type?.kind === "pointer" ? type.elem : type;
  if (patch === undefined) return inGoOrder(patched, inner);
  if (current === undefined || current === null || isObject(patch)) {
    if (!isObject(current) || !isObject(patch) || !isObject(patched)) return inGoOrder(patched, undefined);
    const members = Object.keys(patched)
      .sort()
      .map((key) => `${goJson(key)}:${mergedJson(patched[key], current[key], patch[key], memberType(inner, key))}`);
    return `{${members.join(",")}}`;
  }
  return goJson(patched);
}

function inGoOrder(value: unknown, type: GoType | undefined): string {
  const inner = type?.kind === "pointer" ? type.elem : type;
  if (Array.isArray(value)) {
    const elem = inner?.kind === "slice" ? inner.elem : undefined;
    return `[${value.map((item) => inGoOrder(item, elem)).join(",")}]`;
  }
  if (!isObject(value)) return goJson(value);
  const keys = inner?.kind === "struct" ? declared(inner, value) : Object.keys(value).sort();
  const members = keys.map((key) => `${goJson(key)}:${inGoOrder(value[key], memberType(inner, key))}`);
  return `{${members.join(",")}}`;
}

/** The keys of a value in the order of its struct's fields. */
function declared(type: GoStruct, value: Json): string[] {
  return [...fieldsOf(type)].map(({ jsonName }) => jsonName).filter((name) => Object.hasOwn(value, name));
}

function* fieldsOf(type: GoStruct): Generator<GoField> {
  for (const field of type.fields) {
    const inner = field.type.kind === "pointer" ? field.type.elem : field.type;
    if (field.inline && inner.kind === "struct") yield* fieldsOf(inner);
    else yield field;
  }
}

function memberType(type: GoType | undefined, key: string): GoType | undefined {
  if (type?.kind === "map") return type.elem;
  if (type?.kind !== "struct") return undefined;
  for (const field of fieldsOf(type)) if (field.jsonName === key) return field.type;
  return undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
