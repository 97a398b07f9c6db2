// YAML to JSON values, as far as API objects go: one document, maps with string keys, the core schema.

import { parseDocument } from "yaml";
import { CodecError } from "#api/codec-error.ts";

/** Throws a CodecError. */
export function decodeYaml(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: false, schema: "core", version: "1.2" });
  const [error] = document.errors;
  if (error !== undefined) {
    throw new CodecError("yaml", `error converting YAML to JSON: yaml: ${error.message.split("\n")[0]}`);
  }
  return document.toJS({ maxAliasCount: 100 });
}
