// JSON as printed by Go's encoder and its patch library: struct fields in declaration order, map keys sorted, and keys
// of objects that a patch touched sorted too. Only messages that quote the patched object need it.

import type { GoField, GoStruct, GoType } from "#api/go-layout.ts";
import { goJson } from "#api/go-text.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * The result of a JSON patch. Objects that the operations reached into have sorted keys. Values from the patch keep
 * their order, and untouched or moved values their old form. `current`: the object before.
 */
export function patchedJson(
  patched: unknown,
  current: unknown,
  type: GoType | undefined,
  traces: PatchTraces,
  pointer = "",
): string {
  const inner = type?.kind === "pointer" ? type.elem : type;
  if (!traces.reached.has(pointer) || typeof patched !== "object" || patched === null) {
    if (traces.sorted.has(pointer)) return inGoOrder(patched, undefined);
    return patched === current ? inGoOrder(patched, inner) : goJson(patched);
  }
  const before = (typeof current === "object" && current !== null ? current : {}) as Json;
  if (Array.isArray(patched)) {
    const known = new Set<unknown>(Object.values(before));
    const elem = inner?.kind === "slice" ? inner.elem : undefined;
    const items = patched.map((item, index) => {
      const own = known.has(item) ? item : before[index];
      return patchedJson(item, own, elem, traces, `${pointer}/${index}`);
    });
    return `[${items.join(",")}]`;
  }
  const members = Object.keys(patched)
    .sort()
    .map((key) => {
      const value = (patched as Json)[key];
      const inside = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      return `${goJson(key)}:${patchedJson(value, before[key], memberType(inner, key), traces, inside)}`;
    });
  return `{${members.join(",")}}`;
}

/**
 * JSON pointers of values that operations reach into, and of values that are fully sorted because they were moved or
 * compared.
 */
interface PatchTraces {
  readonly reached: ReadonlySet<string>;
  readonly sorted: ReadonlySet<string>;
}

export function tracesOf(operations: readonly (Json | null)[]): PatchTraces {
  const reached = new Set<string>();
  const sorted = new Set<string>();
  /** Pointers of values that the patch added. */
  const brought = new Set<string>();
  const forget = (pointer: string): void => {
    for (const pointers of [reached, sorted, brought])
      for (const each of pointers) if (each === pointer || each.startsWith(`${pointer}/`)) pointers.delete(each);
  };
  for (const operation of operations) {
    const { op, path, from } = operation ?? {};
    for (const text of [path, from]) if (typeof text === "string") addParents(reached, text);
    if (typeof path !== "string") continue;
    if (op === "test") {
      sorted.add(path);
      continue;
    }
    const isBrought = op === "add" || op === "replace" || (typeof from === "string" && brought.has(from));
    if (op === "move" && typeof from === "string") forget(from);
    forget(path);
    (isBrought ? brought : sorted).add(path);
  }
  return { reached, sorted };
}

function addParents(pointers: Set<string>, path: string): void {
  for (let at = path.lastIndexOf("/"); at >= 0; at = at === 0 ? -1 : path.lastIndexOf("/", at - 1))
    pointers.add(path.slice(0, at));
}

/**
 * The result of a merge patch: all values that the patch names are sorted, even without a change. A patch value that
 * replaces an object keeps its order.
 */
export function mergedJson(patched: unknown, current: unknown, patch: unknown, type: GoType | undefined): string {
  const inner = type?.kind === "pointer" ? type.elem : type;
  if (patch === undefined) return inGoOrder(patched, inner);
  if (!isObject(current)) return inGoOrder(patched, undefined);
  if (!isObject(patch) || !isObject(patched)) return goJson(patched);
  const members = Object.keys(patched)
    .sort()
    .map((key) => `${goJson(key)}:${mergedJson(patched[key], current[key], patch[key], memberType(inner, key))}`);
  return `{${members.join(",")}}`;
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
