// JSON of objects, lists and events: like JSON.stringify, but with managed fields last in their metadata. Their keys
// contain quotes, at which JavaScriptCore leaves its fast path for the whole text. They are therefore encoded
// separately, once for each set of fields, which similar objects share.

import { stringifyJson } from "#base/json.ts";
import { RecentMap } from "#base/recent-map.ts";

type Json = Readonly<Record<string, unknown>>;

const texts = new RecentMap<object, string>(512);

export function jsonText(value: unknown): string {
  return isObject(value) ? objectText(value) : stringifyJson(value);
}

/**
 * Handles all places of managed fields: the metadata of the object, of list items, of an event's object, and of a
 * table's rows.
 */
function objectText(object: Json): string {
  let text = "";
  for (const key in object) {
    const value = object[key];
    const part =
      key === "metadata" && isObject(value)
        ? metadataText(value)
        : (key === "items" || key === "rows") && Array.isArray(value)
          ? `[${value.map(elementText).join(",")}]`
          : key === "object" && isObject(value)
            ? objectText(value)
            : stringifyJson(value);
    if (part !== undefined) text += `${text === "" ? "" : ","}${stringifyJson(key)}:${part}`;
  }
  return `{${text}}`;
}

/** In a list, a value that is not JSON, such as undefined, becomes null. */
const elementText = (value: unknown): string =>
  isObject(value) ? objectText(value) : (stringifyJson(value) ?? "null");

function metadataText(metadata: Json): string {
  const { managedFields } = metadata;
  if (!Array.isArray(managedFields) || !managedFields.every(isObject)) return stringifyJson(metadata);
  const rest = stringifyJson({ ...metadata, managedFields: undefined });
  return `${opened(rest)}"managedFields":[${managedFields.map(entryText).join(",")}]}`;
}

function entryText(entry: Json): string {
  const { fieldsV1 } = entry;
  if (!isObject(fieldsV1)) return stringifyJson(entry);
  return `${opened(stringifyJson({ ...entry, fieldsV1: undefined }))}"fieldsV1":${fieldsText(fieldsV1)}}`;
}

/** The text of an object up to the place for another field. */
const opened = (text: string): string => (text === "{}" ? "{" : `${text.slice(0, -1)},`);

/** Frozen fields never change, so their text is cached. */
function fieldsText(fields: Json): string {
  let text = texts.get(fields);
  if (text === undefined) {
    text = stringifyJson(fields);
    if (Object.isFrozen(fields)) texts.set(fields, text);
  }
  return text;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("toJSON" in value);
