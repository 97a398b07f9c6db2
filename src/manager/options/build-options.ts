// Stores the parsed flags in the fields that the flag table names.

import type { ParsedFlags } from "../flags/flag-set.ts";
import type { flagTable } from "./flag-table.ts";
import { defaultOptions, type Options } from "./options.ts";

export function buildOptions(sections: ReturnType<typeof flagTable>, { values, changed }: ParsedFlags): Options {
  let options = defaultOptions;
  for (const { flags } of sections) {
    for (const { name, path } of flags) {
      if (changed.has(name)) options = withPath(options, path.split("."), values.get(name)) as Options;
    }
  }
  return options;
}

/** A copy that differs only at the path. */
function withPath(value: unknown, path: readonly string[], leaf: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return leaf;
  const object = value as Record<string, unknown>;
  return { ...object, [key]: withPath(object[key], rest, leaf) };
}
