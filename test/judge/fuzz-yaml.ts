// A small writer of block YAML for fuzzed requests.

import { stringifyJson } from "#base/json.ts";

/** Quotes keys and strings that YAML could read as another type. */
export function yamlOf(value: unknown): string {
  return `${lines(value).join("\n")}\n`;
}

function lines(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item) => {
      const [first = "", ...rest] = lines(item);
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    // Sorted: servers write fields in different orders, but both must receive the same text.
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length > 0) return entries.flatMap(([key, item]) => entry(text(key), item));
  }
  return [typeof value === "string" ? text(value) : stringifyJson(value)];
}

function entry(key: string, value: unknown): string[] {
  const isBlock = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isBlock) return [`${key}: ${lines(value)[0]}`];
  return [`${key}:`, ...lines(value).map((line) => `  ${line}`)];
}

const PLAIN = /^[A-Za-z$][A-Za-z0-9$/.:-]*[A-Za-z0-9]$/;
const WORD = /^(true|false|null|yes|no|on|off)$/i;

const text = (value: string): string =>
  PLAIN.test(value) && !WORD.test(value) && !value.includes(": ") ? value : stringifyJson(value);
