// JSON of objects, lists and events: what JSON.stringify makes of them, but that managed fields come last in their
// metadata. Their keys hold quotes, at which JavaScriptCore leaves its fast path for everything: so they are written
// apart, and once for each set of fields, which objects of one shape share.

import { stringifyJson } from "#base/json.ts";
import { RecentMap } from "#base/recent-map.ts";

type Json = Readonly<Record<string, unknown>>;

const texts = new RecentMap<object, string>(512);

export function jsonText(value: unknown): string {
  return isObject(value) ? objectText(value) : stringifyJson(value);
}

/** Where managed fields can be: in the metadata of the object, of its items, of an event's object, of a table's rows. */
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

/** Of what is no JSON, an undefined for instance, a list shows null. */
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

/** The text of an object up to where another field can stand. */
const opened = (text: string): string => (text === "{}" ? "{" : `${text.slice(0, -1)},`);

/** What is frozen stays as it is. */
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
