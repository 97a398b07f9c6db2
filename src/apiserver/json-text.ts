// JSON of objects, lists and events: what JSON.stringify makes of them, but that managed fields come last in their
// metadata. Their keys hold quotes, at which JavaScriptCore leaves its fast path for everything: so they are written
// apart, and once for each set of fields, which objects of one shape share.

type Json = Readonly<Record<string, unknown>>;

/** Sets whose text is remembered, so many of them; a second generation of as many lives on until it is replaced. */
const TEXTS_MAX = 512;
let recent = new Map<object, string>();
let older = new Map<object, string>();

export function jsonText(value: unknown): string {
  return isObject(value) ? objectText(value) : JSON.stringify(value);
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
            : JSON.stringify(value);
    if (part !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${part}`;
  }
  return `{${text}}`;
}

/** Of what is no JSON, an undefined for instance, a list shows null. */
const elementText = (value: unknown): string =>
  isObject(value) ? objectText(value) : (JSON.stringify(value) ?? "null");

function metadataText(metadata: Json): string {
  const { managedFields } = metadata;
  if (!Array.isArray(managedFields) || !managedFields.every(isObject)) return JSON.stringify(metadata);
  const rest = JSON.stringify({ ...metadata, managedFields: undefined });
  return `${opened(rest)}"managedFields":[${managedFields.map(entryText).join(",")}]}`;
}

function entryText(entry: Json): string {
  const { fieldsV1 } = entry;
  if (!isObject(fieldsV1)) return JSON.stringify(entry);
  return `${opened(JSON.stringify({ ...entry, fieldsV1: undefined }))}"fieldsV1":${fieldsText(fieldsV1)}}`;
}

/** The text of an object up to where another field can stand. */
const opened = (text: string): string => (text === "{}" ? "{" : `${text.slice(0, -1)},`);

/** What is frozen stays as it is. */
function fieldsText(fields: Json): string {
  const known = recent.get(fields);
  if (known !== undefined) return known;
  const text = older.get(fields) ?? JSON.stringify(fields);
  if (!Object.isFrozen(fields)) return text;
  if (recent.size >= TEXTS_MAX) {
    older = recent;
    recent = new Map();
  }
  recent.set(fields, text);
  return text;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("toJSON" in value);
