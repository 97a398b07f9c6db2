// A wire object as upstream's internal type prints it in an error message: with Go field names, and with every field.
// Layouts are strings of "GoName wireName form". The form is a JSON literal for an absent value, or a type: @T by
// value, *T or null, [T a list or null. A leading ? omits an unset field.

import { INTERNAL_LAYOUT } from "#kinds/generated/internal-layout.ts";

export type InternalType = keyof typeof INTERNAL_LAYOUT;

interface FieldForm {
  readonly goName: string;
  readonly wireName: string;
  readonly form: string;
}

const parsed = new Map<string, readonly FieldForm[]>();

function fieldsOf(type: string): readonly FieldForm[] {
  let fields = parsed.get(type);
  if (fields === undefined) {
    fields = INTERNAL_LAYOUT[type as InternalType].split(",").map((text) => {
      const [goName = "", wireName = "", form = "null"] = text.split(" ");
      return { goName, wireName, form };
    });
    parsed.set(type, fields);
  }
  return fields;
}

export function internalForm(type: InternalType, value: object): Record<string, unknown> {
  return structForm(type, value as Readonly<Record<string, unknown>>);
}

function structForm(type: string, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const { goName, wireName, form } of fieldsOf(type)) {
    const part = value[wireName];
    if (!form.startsWith("?")) out[goName] = valueForm(form, part);
    else if (!isUnset(part)) out[goName] = valueForm(form.slice(1), part);
  }
  return out;
}

const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);

function valueForm(form: string, value: unknown): unknown {
  const isAbsent = value === undefined || value === null;
  if (form.startsWith("@")) return structForm(form.slice(1), (value ?? {}) as Record<string, unknown>);
  if (form.startsWith("*")) return isAbsent ? null : structForm(form.slice(1), value as Record<string, unknown>);
  if (form.startsWith("["))
    return isAbsent ? null : (value as object[]).map((item) => valueForm(`@${form.slice(1)}`, item));
  return isAbsent ? JSON.parse(form) : sortedMap(value);
}

/** Go prints maps sorted by key. */
export function sortedMap<T>(value: T): T {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) as T;
}
